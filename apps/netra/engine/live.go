package engine

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// A Live district keeps the signals of one district in hourly buckets with their
// tallies, so that a score after an arrival merges at most 168 tallies and looks only
// at the signals of the buckets that an edge cuts through. The weights of a bucket are
// kept relative to its first moment: ageing multiplies them all by the same factor.
// A Live is not safe for concurrent use.
type Live struct {
	engine  *Engine
	place   Place
	buckets []bucket // by hour, the oldest first
}

type bucket struct {
	hour    int64 // hours since 1970
	first   int64 // the earliest timestamp held
	last    int64 // the latest
	tally   tally // weights at the hour's first moment
	sevs    int   // sum of severities
	items   []item
	signals []Signal
	floored *tally // weights at age zero, made when recency first falls to its floor
}

// NewLive returns an empty district.
func (e *Engine) NewLive(p Place) *Live { return &Live{engine: e, place: p} }

// Place returns the district.
func (d *Live) Place() Place { return d.place }

// Len returns the number of signals held.
func (d *Live) Len() (n int) {
	for i := range d.buckets {
		n += len(d.buckets[i].items)
	}
	return n
}

// Add takes a signal in. Order does not matter.
func (d *Live) Add(s Signal) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if !s.Place().same(d.place) {
		return fmt.Errorf("a signal of %s cannot join %s", s.Place(), d.place)
	}
	at := s.Timestamp.UnixMicro()
	hour := floorDiv(at, microsPerHour)
	b := d.bucket(hour)
	it := item{at, d.engine.params.base(&s), hour<<32 | int64(len(b.items)), maskOf(s.RiskLayers), uint8(s.Severity)}
	if len(b.items) == 0 {
		b.first, b.last = at, at
	}
	b.first, b.last = min(b.first, at), max(b.last, at)
	b.items, b.signals = append(b.items, it), append(b.signals, s)
	b.sevs, b.floored = b.sevs+s.Severity, nil
	b.tally.add(it.base*math.Exp(-d.engine.decay.rate*float64(at-hour*microsPerHour)), it.mask, it.at, it.ref)
	return nil
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// bucket returns the bucket of an hour and makes it if need be.
func (d *Live) bucket(hour int64) *bucket {
	i := sort.Search(len(d.buckets), func(i int) bool { return d.buckets[i].hour >= hour })
	if i == len(d.buckets) || d.buckets[i].hour != hour {
		d.buckets = append(d.buckets, bucket{})
		copy(d.buckets[i+1:], d.buckets[i:])
		d.buckets[i] = bucket{hour: hour}
	}
	return &d.buckets[i]
}

// Expire forgets the hours that no score at or after a time can see.
func (d *Live) Expire(at time.Time) {
	before := floorDiv(at.UnixMicro()-horizon, microsPerHour)
	i := sort.Search(len(d.buckets), func(i int) bool { return d.buckets[i].hour >= before })
	if i > 0 {
		d.buckets = append(d.buckets[:0], d.buckets[i:]...)
	}
}

// Score scores the district at a time, as [Engine.Compute] would from its signals.
func (d *Live) Score(window Window, at time.Time) (Score, error) {
	if !window.Valid() {
		return Score{}, fmt.Errorf("a window is 24, 72 or 168 hours, not %d", int(window))
	}
	var t tally
	now := at.UnixMicro()
	reach := int64(window) * microsPerHour
	for i := range d.buckets {
		b := &d.buckets[i]
		oldest, youngest := now-b.first, now-b.last
		if youngest > horizon {
			continue
		}
		if youngest < 0 || cut(recentEdge, youngest, oldest) || cut(olderEdge, youngest, oldest) ||
			cut(reach, youngest, oldest) || cut(d.engine.decay.cap-1, youngest, oldest) {
			for _, it := range b.items {
				d.engine.count(&t, it, window, now)
			}
			continue
		}
		b.trendInto(&t, youngest)
		switch {
		case oldest > reach:
		case youngest >= d.engine.decay.cap:
			t.merge(b.atFloor(), d.engine.decay.floor)
		default:
			t.merge(&b.tally, math.Exp(d.engine.decay.rate*float64(now-b.hour*microsPerHour)))
		}
	}
	return d.engine.assemble(d.place, window, at, &t, d.find), nil
}

// cut reports whether an edge falls inside the ages of a bucket.
func cut(edge, youngest, oldest int64) bool { return youngest <= edge && edge < oldest }

// atFloor returns the tally of the weights at age zero.
func (b *bucket) atFloor() *tally {
	if b.floored == nil {
		b.floored = &tally{}
		for _, it := range b.items {
			b.floored.add(it.base, it.mask, it.at, it.ref)
		}
	}
	return b.floored
}

// trendInto counts the severities of a bucket that no trend edge cuts.
func (b *bucket) trendInto(t *tally, age int64) {
	switch {
	case age <= recentEdge:
		t.recentSum += b.sevs
		t.recentN += len(b.items)
	case age <= olderEdge:
		t.olderSum += b.sevs
		t.olderN += len(b.items)
	}
}

// find returns the signal of a reference.
func (d *Live) find(ref int64) *Signal {
	b := d.bucket(ref >> 32)
	return &b.signals[ref&math.MaxUint32]
}
