package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serving starts a server on a free port beside the script and waits until it serves:
//
//	serving DATA
//
// At the script's end it is interrupted and must end well.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serving DATA")
	}
	cmd := exec.Command(os.Args[0], "--data", ts.MkAbs(args[0]), "serve", "--addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), asProgram+"=1", "DOSSIER_LOG_LEVEL=error", "HOME="+ts.Getenv("HOME"), "DOSSIER_CONFIG=")
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	lines := bufio.NewScanner(said)
	served := false
	for !served && lines.Scan() {
		served = strings.HasPrefix(lines.Text(), "Dossier serves on http://127.0.0.1:")
	}
	ts.Defer(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		for lines.Scan() {
			ts.Logf("the server says: %s", lines.Text())
		}
		ts.Check(cmd.Wait())
	})
	if !served {
		ts.Fatalf("the server ended before it served")
	}
}
