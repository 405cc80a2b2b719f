package judge

import "testing"

// FuzzRead reads what a person may give with --labels: it is refused, or every label in
// it can be measured with.
func FuzzRead(f *testing.F) {
	f.Add([]byte("pairs: [{name: x, better: tie, a: {}, b: 1, by: Ann}]\nmarks: [{name: y, label: good, answer: 5}]"))
	f.Add([]byte("pairs: &a [*a]"))
	f.Add([]byte("marks:\n  - name: 'y\n"))
	f.Add([]byte("{\"pairs\": null, \"marks\": [{\"label\": \"poor\", \"answer\": [[[]]]}]}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := Read(raw)
		if err != nil {
			return
		}
		people, rule := l.Split()
		if len(people.Pairs)+len(rule.Pairs) != len(l.Pairs) || len(people.Marks)+len(rule.Marks) != len(l.Marks) {
			t.Errorf("labels were lost: %d and %d of %d", len(people.Pairs), len(rule.Pairs), len(l.Pairs))
		}
		for _, p := range l.Pairs {
			if len(p.A) == 0 || len(p.B) == 0 {
				t.Errorf("a pair without answers: %+v", p)
			}
		}
	})
}
