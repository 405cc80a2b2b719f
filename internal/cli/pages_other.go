//go:build !linux

package cli

// dropProgram does nothing: only Linux says which pages of the program a process has
// mapped.
func dropProgram() error { return nil }
