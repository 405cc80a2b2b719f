// Package edit measures how far one sequence lies from another.
//
// The distance is the number of elements that must be added, removed or changed to
// turn the first into the second. It serves wherever a misspelt name is answered with
// the one that was probably meant, and where the path of a run is compared with the
// path that was wanted.
package edit

// Distance returns how many elements must be added, removed or changed to get from a
// to b.
func Distance[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diag := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}
