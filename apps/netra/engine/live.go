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
	tally   tally // weights at the bucket's first moment
	sevs    int   // sum of severities
	items   []item
	signals []Signal
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
	b.items, b.signals = append(b.items, it), append(b.signals, s)
	b.sevs += s.Severity
	b.tally.add(it.base*math.Exp(-d.engine.rate*float64(at-hour*microsPerHour)), it.mask, it.at, it.ref)
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
		oldest, youngest := now-b.hour*microsPerHour, now-(b.hour+1)*microsPerHour+1
		if youngest > horizon {
			continue
		}
		if youngest < 0 || cut(recentEdge, youngest, oldest) || cut(olderEdge, youngest, oldest) ||
			cut(reach, youngest, oldest) || oldest <= reach && d.engine.floored(oldest) {
			for _, it := range b.items {
				d.engine.count(&t, it, window, now)
			}
			continue
		}
		b.trendInto(&t, youngest)
		if oldest <= reach {
			t.merge(&b.tally, math.Exp(d.engine.rate*float64(oldest)))
		}
	}
	return d.engine.assemble(d.place, window, at, &t, d.find), nil
}

// cut reports whether an edge falls inside the ages of a bucket.
func cut(edge, youngest, oldest int64) bool { return youngest <= edge && edge < oldest }

// floored reports whether recency is at its floor for a signal of an age.
func (e *Engine) floored(age int64) bool {
	return math.Exp(e.rate*float64(age)) <= e.params.RecencyFloor
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
