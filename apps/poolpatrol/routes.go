package poolpatrol

import "dossier/internal/app"

func (s *server) routes(*app.Router) {}
