package engine

import (
	"math"
	"time"
)

// horizon is how far back anything is looked at: the longest window.
const horizon = int64(Week) * int64(time.Hour/time.Microsecond)

// The edges of the trend periods, in microseconds of age.
const (
	recentEdge = 24 * int64(time.Hour/time.Microsecond)
	olderEdge  = 72 * int64(time.Hour/time.Microsecond)
)

// An item is what scoring needs of a signal.
type item struct {
	at   int64   // microseconds since 1970
	base float64 // weight at age zero
	ref  int64   // finds the signal again; the meaning belongs to whoever tallies
	mask mask
	sev  uint8
}

// A pick is a signal that stands out in a tally.
type pick struct {
	w   float64
	at  int64
	ref int64
}

// before reports whether p ranks above q: heavier, then newer, then first seen.
func (p pick) before(q pick) bool {
	if p.w != q.w {
		return p.w > q.w
	}
	if p.at != q.at {
		return p.at > q.at
	}
	return p.ref < q.ref
}

// under reports whether p is lighter than q, or as light and ranked above it.
func (p pick) under(q pick) bool {
	return p.w < q.w || p.w == q.w && p.before(q)
}

// A group holds the signals of one set of layers. Removing a signal moves the score
// the further the more extreme its weight is within its group, so the lightest and
// the heaviest are all that the weakest link can be.
type group struct {
	sum      float64
	n        int
	lightest pick
	heaviest pick
}

// A tally is everything a score needs to know about a set of signals. Two tallies
// merge into the tally of both sets, whatever the order.
type tally struct {
	groups              [8]group // by mask
	top                 [3]pick
	count               int // signals in the window
	recentSum, olderSum int // severities of the trend periods
	recentN, olderN     int
	future              int // signals later than the reference time: never counted
}

// add counts a signal of weight w in the window.
func (t *tally) add(w float64, m mask, at, ref int64) {
	g := &t.groups[m&7]
	p := pick{w, at, ref}
	if g.n == 0 {
		g.lightest, g.heaviest = p, p
	} else {
		if w <= g.lightest.w && p.under(g.lightest) {
			g.lightest = p
		}
		if w >= g.heaviest.w && p.before(g.heaviest) {
			g.heaviest = p
		}
	}
	g.sum += w
	g.n++
	t.rank(p, t.count)
	t.count++
}

// rank puts p among the top three, of which the first held are filled.
func (t *tally) rank(p pick, held int) {
	if held >= len(t.top) {
		if p.w < t.top[2].w || !p.before(t.top[2]) {
			return
		}
		held = len(t.top) - 1
	}
	i := held
	for ; i > 0 && p.before(t.top[i-1]); i-- {
		t.top[i] = t.top[i-1]
	}
	t.top[i] = p
}

// trend counts a severity in the trend period of its age, in microseconds.
func (t *tally) trend(age int64, sev uint8) {
	switch {
	case age <= recentEdge:
		t.recentSum += int(sev)
		t.recentN++
	case age <= olderEdge:
		t.olderSum += int(sev)
		t.olderN++
	}
}

// merge adds what o counted, with its weights multiplied by scale.
func (t *tally) merge(o *tally, scale float64) {
	for i := range o.groups {
		from, to := &o.groups[i], &t.groups[i]
		if from.n == 0 {
			continue
		}
		light, heavy := from.lightest.scaled(scale), from.heaviest.scaled(scale)
		if to.n == 0 {
			to.lightest, to.heaviest = light, heavy
		} else {
			if light.under(to.lightest) {
				to.lightest = light
			}
			if heavy.before(to.heaviest) {
				to.heaviest = heavy
			}
		}
		to.sum += from.sum * scale
		to.n += from.n
	}
	for i := range min(o.count, len(o.top)) {
		t.rank(o.top[i].scaled(scale), min(t.count+i, len(t.top)))
	}
	t.count += o.count
	t.recentSum += o.recentSum
	t.olderSum += o.olderSum
	t.recentN += o.recentN
	t.olderN += o.olderN
	t.future += o.future
}

func (p pick) scaled(by float64) pick {
	p.w *= by
	return p
}

// layerSums returns the weight sum and the number of signals of each layer.
func (t *tally) layerSums() (sum [3]float64, n [3]int) {
	for m := range t.groups {
		for l := range Layers {
			if mask(m).has(l) {
				sum[l] += t.groups[m].sum
				n[l] += t.groups[m].n
			}
		}
	}
	return sum, n
}

// layerScore is the mean weight of a layer times ten, held between 0 and 10.
func layerScore(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Min(math.Max(sum/float64(n)*10, 0), 10)
}
