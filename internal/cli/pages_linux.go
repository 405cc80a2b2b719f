package cli

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dropProgram unmaps the pages of the program's own file that nothing has written to.
// They stay in the system's cache, and those that are still needed are mapped again
// when they are touched; the rest no longer counts as used by this process.
func dropProgram() error {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer f.Close()
	spans, err := cleanSpans(f, exe)
	if err != nil {
		return err
	}
	for _, s := range spans {
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, s.from, s.to-s.from, syscall.MADV_DONTNEED); errno != 0 {
			return os.NewSyscallError("madvise", errno)
		}
	}
	return nil
}

// processorTime is how much of the processor the process has used.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// A span is a range of addresses.
type span struct{ from, to uintptr }

// cleanSpans reads a process's map and returns where exe is mapped read-only and holds
// no page of the process's own, such as a relocation or a debugger's breakpoint: those
// cannot be read from the file again.
func cleanSpans(smaps io.Reader, exe string) ([]span, error) {
	var out []span
	var now *span // the mapping being read, if it is one of exe's
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		line := lines.Text()
		if own, ok := strings.CutPrefix(line, "Anonymous:"); ok {
			if now != nil && strings.Fields(own)[0] == "0" {
				out = append(out, *now)
			}
			now = nil
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.Contains(fields[0], "-") {
			continue
		}
		now = nil
		if strings.HasPrefix(fields[1], "r-") && strings.Join(fields[5:], " ") == exe {
			from, to, _ := strings.Cut(fields[0], "-")
			a, errA := strconv.ParseUint(from, 16, 64)
			b, errB := strconv.ParseUint(to, 16, 64)
			if errA == nil && errB == nil && a < b {
				now = &span{uintptr(a), uintptr(b)}
			}
		}
	}
	return out, lines.Err()
}
