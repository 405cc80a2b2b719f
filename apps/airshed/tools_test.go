package airshed

import (
	"time"

	"dossier"
	"dossier/internal/tool"
)

func call(id dossier.CaseID, now time.Time) tool.Call {
	return tool.Call{Case: id, App: "airshed", For: dossier.SystemPrincipal, Now: now, Key: "test"}
}
