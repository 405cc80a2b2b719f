package gatepass_test

import (
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"dossier"
	"dossier/apps/gatepass"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, wrong string }{
		"G-102 nothing set":             {"", ""},
		"G-116 an address":              {`api_url = "https://gate.example.org"`, ""},
		"G-168 an environment":          {"environment = \"staging\"\n[environments]\ndevelopment = \"http://127.0.0.1:8080\"\nstaging = \"https://staging.example.org\"\nproduction = \"https://gate.example.org\"", ""},
		"G-168 an unknown environment":  {"environment = \"test\"\n[environments]\nstaging = \"https://staging.example.org\"", "environments has only staging"},
		"G-102 not an address":          {`api_url = "gate"`, "api_url must be an address"},
		"G-102 a bad environment":       {"[environments]\nstaging = \"ftp://x\"", "environments.staging must be an address"},
		"G-102 no time-out":             {`timeout = "0s"`, "timeout must be more than nothing"},
		"G-102 no zone":                 {`timezone = "Mars/Base"`, "timezone must be a name"},
		"G-102 a photo limit too small": {`photo_limit = 10`, "photo_limit must be at least"},
		"G-102 no grace":                {`grace = "-1h"`, "grace and escalate must be more than nothing"},
	} {
		cfg := gatepass.App.Default().(*gatepass.Config)
		if _, err := toml.Decode(tt.text, cfg); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err := cfg.Validate()
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(dossier.Message(err), tt.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := gatepass.App.Default().(*gatepass.Config)
	if d.Timeout != 30*time.Second || d.PhotoLimit != 5<<20 {
		t.Errorf("G8 defaults: %+v", d)
	}
}
