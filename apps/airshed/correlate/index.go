package correlate

import (
	"math"
	"sort"
	"time"

	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

const (
	cellsPerDegree = 4
	columns        = 360 * cellsPerDegree
	rows           = 180 * cellsPerDegree
	minutesPerDay  = 24 * 60
	undated        = math.MinInt32

	// edgeKm is how close to the radius a fire must lie for the haversine itself to
	// decide: a millimetre, which is more than the two formulas can differ by.
	edgeKm = 1e-6
)

// An index finds fires by place and time. Its entries are ordered by the cell of a
// quarter-degree grid and, within a cell, by the hour, so that a question about one
// place and window touches a few short stretches.
type index struct {
	fires   []observe.Fire // what it was made of
	entries []entry
	cells   []int32 // start of each cell's entries; one more at the end
	grid    grid
	groups  []group
}

// A grid is the part of the globe's cells that an index covers.
type grid struct {
	row, column int // of its south-west cell
	high, wide  int // in cells
}

// grid returns the cells that hold everything inside b.
func (b bounds) grid() grid {
	g := grid{row: rowOf(b.south), high: rowOf(b.north) - rowOf(b.south) + 1, wide: columns}
	if !b.wraps {
		g.column = columnOf(b.west)
		g.wide = columnOf(b.east) - g.column + 1
	}
	return g
}

// cell returns the place of a cell of the globe in the grid, and false if it is not in it.
func (g grid) cell(row, column int) (int, bool) {
	r, c := row-g.row, column-g.column
	return r*g.wide + c, r >= 0 && r < g.high && c >= 0 && c < g.wide
}

type entry struct {
	x, y, z     float64 // on the unit sphere
	first, last int32   // minutes since 1970 between which the fire was seen; undated: none
	fire        int32   // its place in the list the index was made of
	group       uint32
}

// A group is a state and district that fires are counted under.
type group struct{ state, district string }

// A bounds tells cheaply that a fire cannot matter to any question.
type bounds struct {
	south, north, west, east float64
	from, to                 int32
	wraps                    bool // the box crosses the date line: longitudes are not checked
}

// A question asks which fires were seen near a place in the time before a moment.
type question struct {
	at       geo.Point
	from, to int32 // minutes since 1970
}

func minutes(t time.Time) int32 { return int32(t.Unix() / 60) }

func boundsOf(qs []question, km float64) bounds {
	b := bounds{90, -90, 180, -180, math.MaxInt32, math.MinInt32, false}
	for _, q := range qs {
		s, n, w, e := box(q.at, km)
		b.south, b.north = min(b.south, s), max(b.north, n)
		b.west, b.east = min(b.west, w), max(b.east, e)
		b.from, b.to = min(b.from, q.from), max(b.to, q.to)
	}
	b.wraps = b.west < -180 || b.east > 180
	return b
}

// box returns latitudes and longitudes that hold every point within km of p. The
// longitudes may pass 180 degrees.
func box(p geo.Point, km float64) (south, north, west, east float64) {
	d := km/geo.EarthRadiusKm*180/math.Pi + 1e-9
	south, north = p.Lat-d, p.Lat+d
	sin := math.Sin(d*math.Pi/180) / math.Cos(p.Lat*math.Pi/180)
	if south <= -90 || north >= 90 || sin >= 1 {
		return max(south, -90), min(north, 90), -181, 181
	}
	wide := math.Asin(sin)*180/math.Pi + 1e-9
	return south, north, p.Lon - wide, p.Lon + wide
}

func (b bounds) outside(p geo.Point) bool {
	return p.Lat < b.south || p.Lat > b.north || !b.wraps && (p.Lon < b.west || p.Lon > b.east)
}

// estimate guesses from every 64th fire how many are inside, with some to spare.
func (b bounds) estimate(fires []observe.Fire) int {
	inside := 0
	for i := 0; i < len(fires); i += 64 {
		if !b.outside(fires[i].Point) {
			inside++
		}
	}
	return min(len(fires), inside*70+1024)
}

// newIndex makes an index of the fires that some question may be about.
func newIndex(fires []observe.Fire, qs []question, r Rules) *index {
	b := boundsOf(qs, r.RadiusKm)
	day := int32(minutesPerDay - 1)
	if r.First {
		day = minutesPerDay
	}
	ix := &index{fires: fires, grid: b.grid()}
	ids := map[group]uint32{}
	var lastGroup group
	var lastID uint32
	kept := make([]entry, 0, b.estimate(fires))
	cell := make([]int32, 0, cap(kept))
	for i := range fires {
		f := &fires[i]
		if b.outside(f.Point) {
			continue
		}
		first, last := spanMinutes(f, day)
		if first != undated && (first > b.to || last < b.from) {
			continue
		}
		g := group{f.State, f.District}
		if g != lastGroup || len(ids) == 0 {
			id, ok := ids[g]
			if !ok {
				id = uint32(len(ix.groups))
				ids[g] = id
				ix.groups = append(ix.groups, g)
			}
			lastGroup, lastID = g, id
		}
		x, y, z := onSphere(f.Point)
		kept = append(kept, entry{x, y, z, first, last, int32(i), lastID})
		at, _ := ix.grid.cell(rowOf(f.Lat), columnOf(f.Lon)) // a point inside the bounds is inside their grid
		cell = append(cell, int32(at))
	}
	ix.order(kept, cell)
	return ix
}

// order sorts entries by hour and then, keeping that order, by cell: two counting
// sorts, which are linear.
func (ix *index) order(kept []entry, cell []int32) {
	low, high := int32(math.MaxInt32), int32(math.MinInt32)
	for i := range kept {
		h := hourOf(kept[i].first)
		low, high = min(low, h), max(high, h)
	}
	if len(kept) == 0 {
		low, high = 0, 0
	}
	byHour := make([]int32, int(high-low)+2)
	for i := range kept {
		byHour[hourOf(kept[i].first)-low+1]++
	}
	for h := 1; h < len(byHour); h++ {
		byHour[h] += byHour[h-1]
	}
	turn := make([]int32, len(kept))
	for i := range kept {
		h := hourOf(kept[i].first) - low
		turn[byHour[h]] = int32(i)
		byHour[h]++
	}
	ix.cells = make([]int32, max(0, ix.grid.high*ix.grid.wide)+1)
	for _, c := range cell {
		ix.cells[c+1]++
	}
	for c := 1; c < len(ix.cells); c++ {
		ix.cells[c] += ix.cells[c-1]
	}
	next := append([]int32(nil), ix.cells...)
	ix.entries = make([]entry, len(kept))
	for _, i := range turn {
		c := cell[i]
		ix.entries[next[c]] = kept[i]
		next[c]++
	}
}

// hourOf returns the hour of a minute; undated fires share one before all others.
func hourOf(minute int32) int32 {
	if minute == undated {
		return -1
	}
	return minute / 60
}

// near calls yes for every dated fire within km of q's place and in its time, and
// returns how many undated ones are as near.
func (ix *index) near(q question, km float64, yes func(*entry, float64)) int {
	if len(ix.entries) == 0 {
		return 0
	}
	x, y, z := onSphere(q.at)
	half := math.Sin(km / geo.EarthRadiusKm / 2)
	reach := 4 * half * half * (1 + 1e-9) // square of the chord, a hair more
	south, north, west, east := box(q.at, km)
	undatedNear := 0
	for row := rowOf(south); row <= rowOf(north); row++ {
		for c, left := columnsBetween(west, east); left > 0; c, left = (c+1)%columns, left-1 {
			at, ok := ix.grid.cell(row, c)
			if !ok {
				continue
			}
			stretch := ix.entries[ix.cells[at]:ix.cells[at+1]]
			for i := range ix.within(stretch, q) {
				e := &stretch[i]
				dx, dy, dz := e.x-x, e.y-y, e.z-z
				square := dx*dx + dy*dy + dz*dz
				if square > reach {
					continue
				}
				d := arcKm(square)
				if math.Abs(d-km) < edgeKm {
					d = geo.Km(ix.fires[e.fire].Point, q.at)
				}
				if d > km {
					continue
				}
				if e.first == undated {
					undatedNear++
					continue
				}
				if e.first <= q.to && e.last >= q.from {
					yes(e, d)
				}
			}
		}
	}
	return undatedNear
}

// within yields the places in a cell's stretch of the undated fires and of those whose
// hour can fall in q's time.
func (ix *index) within(stretch []entry, q question) func(func(int) bool) {
	return func(yield func(int) bool) {
		i := 0
		for ; i < len(stretch) && stretch[i].first == undated; i++ {
			if !yield(i) {
				return
			}
		}
		earliest := q.from/60 - 24 // a fire known by its day alone begins a day before it ends
		i += sort.Search(len(stretch)-i, func(k int) bool { return hourOf(stretch[i+k].first) >= earliest })
		for ; i < len(stretch) && hourOf(stretch[i].first) <= q.to/60; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func onSphere(p geo.Point) (x, y, z float64) {
	sinLat, cosLat := math.Sincos(p.Lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(p.Lon * math.Pi / 180)
	return cosLat * cosLon, cosLat * sinLon, sinLat
}

// arcKm turns the square of a chord of the unit sphere into kilometres along it. Short
// chords, which is nearly all, take the series of the arcsine; its error is under a
// millimetre there.
func arcKm(square float64) float64 {
	q := square / 4
	if q > 0.0025 {
		return 2 * geo.EarthRadiusKm * math.Asin(math.Min(1, math.Sqrt(q)))
	}
	return 2 * geo.EarthRadiusKm * math.Sqrt(q) * (1 + q*(1.0/6+q*(3.0/40+q*(5.0/112+q*35.0/1152))))
}

func rowOf(lat float64) int { return min(rows-1, max(0, int((lat+90)*cellsPerDegree))) }

func columnOf(lon float64) int { return min(columns-1, max(0, int((lon+180)*cellsPerDegree))) }

// columnsBetween returns the first column of a stretch of longitudes and how many
// columns it covers, round the globe if need be.
func columnsBetween(west, east float64) (first, count int) {
	from, to := int(math.Floor((west+180)*cellsPerDegree)), int(math.Floor((east+180)*cellsPerDegree))
	return ((from % columns) + columns) % columns, min(columns, to-from+1)
}

// spanMinutes is [observe.Fire.Span] in minutes, without the cost of parsing text a
// million times over. day is how long after its first minute a day ends.
func spanMinutes(f *observe.Fire, day int32) (first, last int32) {
	n, ok := dayNumber(f.AcqDate)
	if !ok {
		return undated, undated
	}
	start := n * minutesPerDay
	t := f.AcqTime
	if len(t) == 4 && digits(t) {
		h, m := int32(t[0]-'0')*10+int32(t[1]-'0'), int32(t[2]-'0')*10+int32(t[3]-'0')
		if h < 24 && m < 60 {
			return start + h*60 + m, start + h*60 + m
		}
	}
	return start, start + day
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

var monthDays = [13]int32{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// dayNumber returns the days from 1970 to a date written YYYY-MM-DD.
func dayNumber(s string) (int32, bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || !digits(s[:4]) || !digits(s[5:7]) || !digits(s[8:]) {
		return 0, false
	}
	y := int32(s[0]-'0')*1000 + int32(s[1]-'0')*100 + int32(s[2]-'0')*10 + int32(s[3]-'0')
	m, d := int32(s[5]-'0')*10+int32(s[6]-'0'), int32(s[8]-'0')*10+int32(s[9]-'0')
	if y < 1970 || y > 2200 || m < 1 || m > 12 || d < 1 {
		return 0, false
	}
	leap := y%4 == 0 && (y%100 != 0 || y%400 == 0)
	if most := monthDays[m]; d > most && !(m == 2 && leap && d == 29) {
		return 0, false
	}
	// Days before the first of March, counted in years that begin there.
	if m <= 2 {
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 1 - 719468, true
}
