package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Bin is one bar of a reliability diagram.
type Bin struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Count      int     `json:"count"`
	Confidence float64 `json:"confidence"` // mean
	Accuracy   float64 `json:"accuracy"`   // share that was right
	Off        bool    `json:"off"`        // they are further apart than [mostGap]
}

// mostGap is how far confidence and accuracy may be apart: one step of the five.
const mostGap = 0.2

// A Calibration says how far confidence can be believed.
type Calibration struct {
	Bins  []Bin   `json:"bins"`
	Error float64 `json:"error"` // expected calibration error: the mean gap, by count
	Worst float64 `json:"worst"` // the largest gap of a bin
	Off   int     `json:"off"`   // bins whose confidence cannot be believed
}

// Calibrate compares confidences from 0 to 1 with whether each was right, in n bins
// of equal width. A confidence on the edge of two bins is in the lower one, so that with
// n steps of confidence every step has a bin of its own.
func Calibrate(confidence []float64, right []bool, n int) Calibration {
	bins := make([]Bin, n)
	for i := range bins {
		bins[i].From, bins[i].To = float64(i)/float64(n), float64(i+1)/float64(n)
	}
	for i, c := range confidence {
		b := &bins[max(0, min(n-1, int(math.Ceil(c*float64(n)-1e-9))-1))]
		b.Count++
		b.Confidence += c
		if right[i] {
			b.Accuracy++
		}
	}
	out := Calibration{}
	for _, b := range bins {
		if b.Count == 0 {
			continue
		}
		b.Confidence /= float64(b.Count)
		b.Accuracy /= float64(b.Count)
		gap := math.Abs(b.Confidence - b.Accuracy)
		out.Error += gap * float64(b.Count) / float64(len(confidence))
		out.Worst = max(out.Worst, gap)
		if b.Off = gap > mostGap+1e-9; b.Off {
			out.Off++
		}
		out.Bins = append(out.Bins, b)
	}
	return out
}

// An Interval is a mean with the range that holds it with 95 % certainty.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bootstrap returns the mean of all scores with its 95 % interval, from n resamples of
// the examples. Each example has its scores together, one for every time it was played:
// playing the same examples again says nothing about others, so it makes no interval
// narrower. Seed makes it repeatable.
func Bootstrap(examples [][]float64, n int, seed uint64) Interval {
	sums, counts := make([]float64, len(examples)), make([]float64, len(examples))
	sum, count := 0.0, 0.0
	for i, xs := range examples {
		for _, x := range xs {
			sums[i] += x
		}
		counts[i] = float64(len(xs))
		sum, count = sum+sums[i], count+counts[i]
	}
	if count == 0 {
		return Interval{}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	means := make([]float64, n)
	for i := range means {
		s, c := 0.0, 0.0
		for range examples {
			j := rng.IntN(len(examples))
			s, c = s+sums[j], c+counts[j]
		}
		means[i] = s / c
	}
	slices.Sort(means)
	return Interval{sum / count, means[int(0.025*float64(n))], means[min(n-1, int(0.975*float64(n)))]}
}

// PairedBootstrap returns the mean difference b-a over the same examples, each with its
// mean score, and the 95 % interval. Pairing takes out what makes an example hard for
// both.
func PairedBootstrap(a, b []float64, n int, seed uint64) Interval {
	diff := make([][]float64, min(len(a), len(b)))
	for i := range diff {
		diff[i] = []float64{b[i] - a[i]}
	}
	return Bootstrap(diff, n, seed)
}

func mean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Agreement compares two raters: the share of items they agree on, and Cohen's kappa,
// which takes out agreement by chance. Two who only ever say the same one word agree by
// chance alone: their kappa is 0.
func Agreement(a, b []string) (share, kappa float64) {
	n := min(len(a), len(b))
	if n == 0 {
		return 0, 0
	}
	countA, countB := map[string]int{}, map[string]int{}
	agree := 0
	for i := range n {
		if a[i] == b[i] {
			agree++
		}
		countA[a[i]]++
		countB[b[i]]++
	}
	chance := 0.0
	for label, k := range countA {
		chance += float64(k) / float64(n) * float64(countB[label]) / float64(n)
	}
	share = float64(agree) / float64(n)
	if chance == 1 {
		return share, 0
	}
	return share, (share - chance) / (1 - chance)
}

// A Confusion counts verdicts against the truth, where "fail" is what a check looks
// for.
type Confusion struct {
	TruePositive  int `json:"true_positive"`
	FalsePositive int `json:"false_positive"`
	TrueNegative  int `json:"true_negative"`
	FalseNegative int `json:"false_negative"`
}

// Add counts one verdict.
func (c *Confusion) Add(wanted, got bool) {
	switch {
	case wanted && got:
		c.TruePositive++
	case wanted:
		c.FalseNegative++
	case got:
		c.FalsePositive++
	default:
		c.TrueNegative++
	}
}

// Rates returns the false-positive and false-negative rates.
func (c Confusion) Rates() (fp, fn float64) {
	if n := c.FalsePositive + c.TrueNegative; n > 0 {
		fp = float64(c.FalsePositive) / float64(n)
	}
	if n := c.FalseNegative + c.TruePositive; n > 0 {
		fn = float64(c.FalseNegative) / float64(n)
	}
	return fp, fn
}

// An Arm is one model in an experiment.
type Arm struct {
	Name    string    `json:"name"`
	Simple  float64   `json:"simple"` // accuracy on simple examples
	Edge    float64   `json:"edge"`   // accuracy on edge cases
	Scores  []float64 `json:"-"`      // mean of each example, in the suite's order
	CostPer float64   `json:"cost_per_1000"`
	Ms      float64   `json:"ms_per_case"`
}

// A Decision says whether a challenger may replace the baseline, and why.
type Decision struct {
	Replace bool     `json:"replace"`
	Why     string   `json:"why"`
	Drop    Interval `json:"drop"` // how much accuracy falls, in points of 100
}

// The bars that a model must clear.
const (
	leastSimple = 0.95
	leastEdge   = 0.80
	mostDrop    = 2.0 // points
)

// Decide applies the rule of the experiment: at least 95 % on simple examples and
// 80 % on edge cases, and where the challenger is chosen for its cost, a drop under
// two points that the interval does not contradict.
func Decide(base, other Arm, seed uint64) Decision {
	d := Decision{Drop: PairedBootstrap(other.Scores, base.Scores, 2000, seed)}
	d.Drop = Interval{100 * d.Drop.Mean, 100 * d.Drop.Low, 100 * d.Drop.High}
	switch {
	case other.Simple < leastSimple:
		d.Why = "It is right on too few of the simple examples."
	case other.Edge < leastEdge:
		d.Why = "It is right on too few of the edge cases."
	case d.Drop.Mean >= mostDrop:
		d.Why = "Its accuracy falls by two points or more."
	case d.Drop.High >= mostDrop:
		d.Why = "The examples do not rule out that its accuracy falls by two points or more."
	case other.CostPer >= base.CostPer && d.Drop.Mean >= 0:
		d.Why = "It is neither cheaper nor better."
	default:
		d.Replace, d.Why = true, "It is accurate enough, and cheaper or better."
	}
	return d
}
