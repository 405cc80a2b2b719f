package poolpatrol

import (
	"dossier/apps/poolpatrol/numbers"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
)

// A server puts HTTP around the patrol.
type server struct {
	env     app.Env
	patrol  *patrol.Patrol
	numbers numbers.Source
}

func (s *server) routes(*app.Router) {}
