//go:build !linux

package cli

import "time"

// dropProgram does nothing: only Linux says which pages of the program a process has
// mapped.
func dropProgram() error { return nil }

// processorTime is not asked for: the process counts as quiet from the start, and gives
// back the garbage of starting up once.
func processorTime() (time.Duration, error) { return 0, nil }
