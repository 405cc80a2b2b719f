// Package apps is the one list of the product's apps. Adding an app is a folder
// beside this file and a line in it. Nothing else in the product names an app.
package apps

import (
	"dossier/apps/airshed"
	"dossier/apps/gatepass"
	"dossier/apps/netra"
	"dossier/apps/poolpatrol"
	"dossier/apps/report"
	"dossier/internal/app"
)

// All returns every app, in the order in which people see them.
func All() []app.App {
	return []app.App{airshed.App, netra.App, gatepass.App, poolpatrol.App, report.App}
}
