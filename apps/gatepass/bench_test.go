package gatepass_test

import (
	"testing"

	"dossier/apps/gatepass"
	"dossier/internal/app"
	"dossier/internal/app/apptest"
)

// One turn of a conversation, from what is said to the answer: the grammar, the API
// over HTTP, the recorded steps.
func BenchmarkTurn(b *testing.B) {
	for _, way := range []string{"in process", "loopback"} {
		b.Run(way, func(b *testing.B) {
			bench := apptest.Open(b, gatepass.App, apptest.Options{At: monday})
			if way == "loopback" {
				server := loopback(bench)
				bench = apptest.Open(b, gatepass.App, apptest.Options{At: monday, Change: func(c app.Config) { c.(*gatepass.Config).APIURL = server }})
			}
			var k *talk
			for i := 0; b.Loop(); i++ {
				if i%20 == 0 {
					b.StopTimer()
					k = begin(bench, "hr", hr)
					b.StartTimer()
				}
				k.say("which passes are pending?")
			}
		})
	}
}
