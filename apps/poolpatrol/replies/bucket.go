package replies

// A Bucket is what a reply amounts to.
type Bucket string

// The buckets.
const (
	Acknowledgment Bucket = "acknowledgment" // agrees or confirms, reports no change
	Question       Bucket = "question"       // wants to know something about the review
	Update         Bucket = "update"         // reports that something changed
	Escalation     Bucket = "escalation"     // disputes, is upset, or cannot be told
)

// Values lists the buckets, for schemas.
func (Bucket) Values() []string {
	return []string{string(Acknowledgment), string(Question), string(Update), string(Escalation)}
}

// Known reports whether b is one of the four.
func (b Bucket) Known() bool {
	switch b {
	case Acknowledgment, Question, Update, Escalation:
		return true
	}
	return false
}

// A Reading is a bucket with what decided it.
type Reading struct {
	Bucket  Bucket   `json:"bucket"`
	Rule    string   `json:"rule"`              // name of the rule: "dispute", "moved", "nothing known"
	Phrases []string `json:"phrases,omitempty"` // the words that decided, as written
}
