// Command airshed measures `dossier airshed run` from the outside: wall time, processor
// time and the most memory that the process held, on a day as large as a bad one of the
// burning season is.
//
// It writes such a day into the lake of a fresh data folder and starts the binary it is
// given, as an operator's scheduler would. The lines are for reading on a quiet
// machine; nothing here fails for being slow.
//
//	go run ./bench/airshed bin/dossier
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"dossier/apps/airshed/sample"
)

func main() {
	times := flag.Int("times", 3, "how often each command is run; the best time and the most memory are printed")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/airshed [-times N] BINARY")
		os.Exit(2)
	}
	if err := measure(flag.Arg(0), *times); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A cost is what a process used.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // most resident memory, bytes
}

// measure runs the commands that read a day, each in a folder of its own.
func measure(binary string, times int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "airshed-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	day := sample.RealDay(time.Now().UTC())
	raw, err := json.Marshal(day)
	if err != nil {
		return err
	}
	file := filepath.Join(work, "day.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return err
	}
	fmt.Printf("a day of %d fires and %d readings, %.1f MB\n", len(day.Fires), len(day.Readings), float64(len(raw))/1e6)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"airshed history (opens the product, does nothing)", []string{"airshed", "history"}},
		{"airshed analyze (reads and judges, keeps nothing)", []string{"airshed", "analyze", file}},
		{"airshed run (sweep, cases, drafts, questions asked)", []string{"airshed", "run"}},
	} {
		best := cost{wall: time.Hour, cpu: time.Hour}
		for i := range times {
			data := filepath.Join(work, fmt.Sprintf("%s-%d", c.args[1], i))
			lake := filepath.Join(data, "airshed", "lake", "data")
			if err := os.MkdirAll(lake, 0o750); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(lake, "sensor.json"), raw, 0o600); err != nil {
				return err
			}
			got, err := run(binary, append([]string{"--data", data}, c.args...))
			if err != nil {
				return err
			}
			best = cost{min(best.wall, got.wall), min(best.cpu, got.cpu), max(best.peak, got.peak)}
		}
		fmt.Printf("%-52s %5d ms by the clock, %5d ms of processor, %4d MB at most\n", c.name, best.wall.Milliseconds(), best.cpu.Milliseconds(), best.peak>>20)
	}
	return nil
}

// run starts the binary and waits for it.
func run(binary string, args []string) (cost, error) {
	cmd := exec.Command(binary, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return cost{}, fmt.Errorf("%v: %w: %s", args, err, out)
	}
	c := cost{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = usage.Maxrss << 10
	}
	return c, nil
}
