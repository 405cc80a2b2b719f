package engine

import (
	"fmt"
	"strings"
	"time"
)

// A Window is how far back a score looks, in hours.
type Window int

// The windows of the method.
const (
	Day       Window = 24
	ThreeDays Window = 72
	Week      Window = 168
)

// Windows lists the windows, the shortest first.
var Windows = [3]Window{Day, ThreeDays, Week}

// Valid reports whether w is a window of the method.
func (w Window) Valid() bool { return w == Day || w == ThreeDays || w == Week }

// Duration returns the length of w.
func (w Window) Duration() time.Duration { return time.Duration(w) * time.Hour }

// String prints 24h, 72h or 7d.
func (w Window) String() string {
	if w == Week {
		return "7d"
	}
	return fmt.Sprintf("%dh", int(w))
}

// ParseWindow reads 24h, 72h, 7d, 168h or the bare hours. Nothing means 24h.
func ParseWindow(s string) (Window, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "24", "24h", "1d":
		return Day, nil
	case "72", "72h", "3d":
		return ThreeDays, nil
	case "168", "168h", "7d":
		return Week, nil
	}
	return 0, fmt.Errorf("a window is 24h, 72h or 7d")
}

// Use says what a window is good for.
func (w Window) Use() string {
	switch w {
	case Day:
		return "Real-time tactical awareness: officer briefings, immediate response. Few signals, so single reports move it."
	case ThreeDays:
		return "Short-term trend: pattern and escalation detection, weekly planning, resource allocation."
	default:
		return "Strategic overview and baseline: monthly reports, policy planning. Most signals and the steadiest, slowest to react."
	}
}
