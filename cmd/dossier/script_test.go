package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram makes the test binary be the program itself, so that tests can start and
// kill real processes without building another binary.
const asProgram = "DOSSIER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"dossier": main})
}

// Each promise of the README has a script.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", e.WorkDir+"/share")
			e.Setenv("DOSSIER_LOG_LEVEL", "error")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"field": field, "serving": serving},
	})
}
