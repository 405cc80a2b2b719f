package engine

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Columns hold the scored part of many signals, column by column: twelve bytes a
// signal, in any order. Texts stay with the caller and are asked for by row only for
// the few signals that a score shows.
type Columns struct {
	Places []Place // by place number

	at    []int64  // microseconds since 1970
	place []uint16 // index into Places
	code  []uint16 // severity, polarity, tag and layers, packed

	known map[Place]uint16
}

// The packed code of a signal: three bits of layers, five of tags, then polarity and severity.
const (
	codeMaskBits = 3
	codeTagBits  = len(Tags)
	codePolBits  = 2
	codeBases    = 1 << (codeTagBits + codePolBits + 3)
)

// Grow makes room for n more signals.
func (c *Columns) Grow(n int) {
	c.at, c.place, c.code = slices.Grow(c.at, n), slices.Grow(c.place, n), slices.Grow(c.code, n)
}

// Len returns the number of signals.
func (c *Columns) Len() int { return len(c.at) }

// Append adds a valid signal; its row is Len() before the call.
func (c *Columns) Append(s *Signal) error {
	if err := s.Validate(); err != nil {
		return err
	}
	place, err := c.number(s.Place())
	if err != nil {
		return err
	}
	c.appendRow(place, s.Timestamp.UnixMicro(), codeOf(s))
	return nil
}

func (c *Columns) appendRow(place uint16, at int64, code uint16) {
	c.at, c.place, c.code = append(c.at, at), append(c.place, place), append(c.code, code)
}

func (c *Columns) number(p Place) (uint16, error) {
	if c.known == nil {
		c.known = map[Place]uint16{}
		for i, q := range c.Places {
			c.known[q] = uint16(i)
		}
	}
	if n, ok := c.known[p]; ok {
		return n, nil
	}
	if len(c.Places) > math.MaxUint16 {
		return 0, fmt.Errorf("more than %d districts", math.MaxUint16)
	}
	n := uint16(len(c.Places))
	c.Places, c.known[p] = append(c.Places, p), n
	return n, nil
}

// codeOf packs a valid signal.
func codeOf(s *Signal) uint16 {
	tags := 0
	for i, t := range Tags {
		if slices.Contains(s.GeoSensitivity, t) {
			tags |= 1 << i
		}
	}
	pol := slices.Index(polarities[:], s.Polarity)
	return uint16(((s.Severity<<codePolBits|pol)<<codeTagBits|tags)<<codeMaskBits) | uint16(maskOf(s.RiskLayers))
}

// signal unpacks a row, without texts.
func (c *Columns) signal(row int) Signal {
	code := c.code[row]
	p := c.Places[c.place[row]]
	s := Signal{State: p.State, District: p.District, Timestamp: time.UnixMicro(c.at[row]).UTC(), SourceType: PublicSource,
		RiskLayers: mask(code & 7).layers()}
	code >>= codeMaskBits
	s.GeoSensitivity = tagsOf(int(code))
	s.Polarity = polarities[code>>codeTagBits&3]
	s.Severity = int(code >> (codeTagBits + codePolBits))
	return s
}

func tagsOf(set int) (tags []Tag) {
	for i, t := range Tags {
		if set>>i&1 == 1 {
			tags = append(tags, t)
		}
	}
	return tags
}

// bases returns the weight at age zero of every packed code.
func (e *Engine) bases() (table [codeBases]float64) {
	for sev := 1; sev <= 5; sev++ {
		for pol, name := range polarities {
			for tags := range 1 << codeTagBits {
				s := Signal{Severity: sev, Polarity: name, GeoSensitivity: tagsOf(tags)}
				table[(sev<<codePolBits|pol)<<codeTagBits|tags] = e.params.base(&s)
			}
		}
	}
	return table
}

// Batch scores every place of c in one pass, on all processors, in the order of
// c.Places. text gives the signal of a row with its texts and is called from several
// goroutines; with nil, scores show what the columns hold.
func (e *Engine) Batch(c *Columns, window Window, at time.Time, text func(row int) *Signal) ([]Score, error) {
	if !window.Valid() {
		return nil, fmt.Errorf("a window is 24, 72 or 168 hours, not %d", int(window))
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), c.Len()/batchShare))
	parts := make([][]tally, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			parts[i] = make([]tally, len(c.Places))
			e.sweep(c, parts[i], c.Len()*i/workers, c.Len()*(i+1)/workers, window, at.UnixMicro())
		})
	}
	wg.Wait()
	find := func(ref int64) *Signal {
		if text != nil {
			return text(int(ref))
		}
		s := c.signal(int(ref))
		return &s
	}
	out := make([]Score, len(c.Places))
	for i := range workers {
		wg.Go(func() {
			for p := i; p < len(c.Places); p += workers {
				t := &parts[0][p]
				for _, other := range parts[1:] {
					t.merge(&other[p], 1)
				}
				out[p] = e.assemble(c.Places[p], window, at, t, find)
			}
		})
	}
	wg.Wait()
	return out, nil
}

// batchShare is how many signals make a second processor worth its tallies.
const batchShare = 20_000

// sweep tallies the rows from lo up to hi.
func (e *Engine) sweep(c *Columns, tallies []tally, lo, hi int, window Window, now int64) {
	bases, decay := e.bases(), e.decay
	reach := int64(window) * microsPerHour
	at := c.at[lo:hi]
	place, code := c.place[lo:hi][:len(at)], c.code[lo:hi][:len(at)]
	for i, then := range at {
		age := now - then
		if age > horizon {
			continue
		}
		t := &tallies[place[i]]
		k := code[i]
		if age < 0 {
			t.future++
			continue
		}
		t.trend(age, uint8(k>>(codeMaskBits+codeTagBits+codePolBits)))
		if age <= reach {
			t.add(bases[k>>codeMaskBits]*decay.at(age), mask(k&7), then, int64(lo+i))
		}
	}
}
