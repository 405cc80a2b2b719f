package engine

import "math"

// A decay gives recency by age in microseconds without calling exp each time: a table
// holds the decay at every 2^27 µs (134 s) of the longest window, and a short
// series covers what lies between, to within 1e-14 of the exact value.
type decay struct {
	rate  float64 // exponent per microsecond, not above zero
	floor float64
	cap   int64 // from this age on recency is the floor
	steps []float64
}

const decayShift = 27

func newDecay(p Params) *decay {
	d := &decay{rate: -p.DecayPerDay / (24 * float64(microsPerHour)), floor: p.RecencyFloor, cap: math.MaxInt64}
	if p.RecencyFloor > 0 && d.rate < 0 {
		if age := math.Ceil(math.Log(p.RecencyFloor) / d.rate); age < math.MaxInt64/2 {
			d.cap = int64(age)
		}
	}
	d.steps = make([]float64, horizon>>decayShift+1)
	for i := range d.steps {
		d.steps[i] = math.Exp(d.rate * float64(int64(i)<<decayShift))
	}
	return d
}

// at returns the recency of an age from zero up.
func (d *decay) at(age int64) float64 {
	if age >= d.cap {
		return d.floor
	}
	i := age >> decayShift
	if i >= int64(len(d.steps)) {
		return max(math.Exp(d.rate*float64(age)), d.floor)
	}
	x := d.rate * float64(age&(1<<decayShift-1))
	return d.steps[i] * (1 + x*(1+x*(0.5+x*(1.0/6+x*(1.0/24+x*(1.0/120))))))
}
