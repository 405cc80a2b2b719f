package grammar

var polite = words("please ok hi hello hey dear sir madam maam ji so and now then well just also actually yes no oh")

var vocatives = words("sir madam maam ma'am")

var request = words("can could would will may shall might")

var asks = words("is are was were has have had did does do when who whose whom what which where why how can could will would may should any am")

// pronouns stand for the pass, or the person, that was spoken of.
var pronouns = words("it its that this same him her he she his hers them they")

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list(s) {
		m[w] = true
	}
	return m
}
