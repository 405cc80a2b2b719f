package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyCleanPagesOfTheProgramAreDropped(t *testing.T) {
	t.Parallel()
	const smaps = `00400000-02c05000 r-xp 00000000 fe:00 108                         /opt/dossier
Rss:               31392 kB
Anonymous:             0 kB
02c05000-05a98000 r--p 02805000 fe:00 108                         /opt/dossier
Anonymous:             0 kB
05a98000-05b00000 r--p 05698000 fe:00 108                         /opt/dossier
Anonymous:             4 kB
05b00000-05cb9000 rw-p 05698000 fe:00 108                         /opt/dossier
Anonymous:             0 kB
3648df400000-3648e6000000 rw-p 00000000 00:00 0
Anonymous:         49544 kB
7f4e619c9000-7f4e61b1f000 r-xp 00026000 fe:00 326                 /usr/lib/libc.so.6
Anonymous:             0 kB
`
	got, err := cleanSpans(strings.NewReader(smaps), "/opt/dossier")
	if err != nil {
		t.Fatal(err)
	}
	want := []span{{0x400000, 0x2c05000}, {0x2c05000, 0x5a98000}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("relocated, writable and foreign pages stay (-want +got):\n%s", diff)
	}
	if got, err = cleanSpans(strings.NewReader(smaps), "/opt/dossier (deleted)"); err != nil || got != nil {
		t.Errorf("another program's pages: %v %v", got, err)
	}
}

func TestARestBeginsOnceAfterWork(t *testing.T) {
	t.Parallel()
	var r rest
	for i, step := range []struct {
		used time.Duration
		want bool
	}{
		{time.Second, false}, // starting up
		{time.Second + 10*time.Millisecond, true},
		{time.Second + 20*time.Millisecond, false}, // still quiet: nothing new to give back
		{2 * time.Second, false},                   // a burst of work
		{2*time.Second + 99*time.Millisecond, true},
		{2*time.Second + 199*time.Millisecond, false}, // a fiftieth is not quiet
		{2*time.Second + 200*time.Millisecond, true},
	} {
		if got := r.begins(step.used, lull); got != step.want {
			t.Errorf("step %d, %v used: %v", i, step.used, got)
		}
	}
	if used, err := processorTime(); err != nil || used <= 0 {
		t.Errorf("processor time %v, %v", used, err)
	}
}

// TestTheProgramsPagesAreGivenBack is not parallel: other tests would map pages again
// while it measures. It maps them all first, so that it does not matter what ran before.
func TestTheProgramsPagesAreGivenBack(t *testing.T) {
	mapProgram(t)
	before := programKB(t)
	if err := dropProgram(); err != nil {
		t.Fatal(err)
	}
	if after := programKB(t); before == 0 || after > before/2 {
		t.Errorf("%d kB of the program were mapped, and %d kB afterwards", before, after)
	}
}

// memory returns the program's file and how this process has mapped its memory.
func memory(t *testing.T) (exe string, smaps []byte) {
	t.Helper()
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	smaps, err = os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	return exe, smaps
}

// mapProgram reads every page of the program's own file through the process's memory.
func mapProgram(t *testing.T) {
	t.Helper()
	exe, smaps := memory(t)
	spans, err := cleanSpans(bytes.NewReader(smaps), exe)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	for _, s := range spans {
		if _, err := io.Copy(io.Discard, io.NewSectionReader(mem, int64(s.from), int64(s.to-s.from))); err != nil {
			t.Fatal(err)
		}
	}
}

// programKB is how much of the program's own file is mapped and in memory.
func programKB(t *testing.T) (sum int) {
	t.Helper()
	exe, smaps := memory(t)
	own := false
	for line := range strings.Lines(string(smaps)) {
		var kb int
		if name, _, _ := strings.Cut(line, " "); strings.Contains(name, "-") {
			own = strings.HasSuffix(line, " "+exe+"\n")
		} else if _, err := fmt.Sscanf(line, "Rss: %d kB", &kb); err == nil && own {
			sum += kb
		}
	}
	return sum
}
