package grammar

var contractions = map[string][]string{
	"won't": {"will", "not"}, "wont": {"will", "not"}, "can't": {"can", "not"}, "cant": {"can", "not"},
	"don't": {"do", "not"}, "dont": {"do", "not"}, "doesn't": {"does", "not"}, "hasn't": {"has", "not"}, "hasnt": {"has", "not"},
	"haven't": {"have", "not"}, "isn't": {"is", "not"}, "didn't": {"did", "not"},
	"i'm": {"i", "am"}, "it's": {"it", "is"}, "he's": {"he", "is"}, "she's": {"she", "is"}, "that's": {"that", "is"},
	"what's": {"what", "is"}, "whats": {"what", "is"}, "wats": {"what", "is"}, "who's": {"who", "is"}, "where's": {"where", "is"}, "there's": {"there", "is"},
	"hes": {"he", "is"}, "shes": {"she", "is"}, "hell": {"he", "will"}, "let's": {"let", "us"}, "i'll": {"i", "will"}, "how's": {"how", "is"},
}

// synonyms are words that are read as others everywhere.
var synonyms = map[string]string{
	"gatepass": "pass", "gatepasses": "passes", "gatepas": "pass", "detail": "details", "info": "details", "information": "details", "particulars": "details",
	"pls": "please", "plz": "please", "plse": "please", "okay": "ok", "nd": "second", "1st": "first", "2nd": "second", "3rd": "third",
	"4th": "fourth", "5th": "fifth", "foto": "photo", "fotos": "photos", "pic": "photo", "pics": "photos", "picture": "photo", "pictures": "photos",
	"image": "photo", "images": "photos", "snap": "photo", "snaps": "photos", "photograph": "photo", "photographs": "photos",
	"qrcode": "qr", "barcode": "qr", "printouts": "printout", "notification": "notifications", "alert": "notifications", "alerts": "notifications",
	"message": "notifications", "messages": "notifications", "update": "notifications", "updates": "notifications",
	"haan": "yes", "han": "yes", "ha": "yes", "yeah": "yes", "yep": "yes", "yup": "yes", "ya": "yes", "yea": "yes", "ji": "ji",
	"nope": "no", "nah": "no", "cannot": "not",
	"authorize": "authorise", "authorized": "approved", "authorised": "approved", "thx": "thanks", "thankyou": "thanks", "kindly": "please",
	"lookup": "look", "printing": "print", "printed": "print", "approves": "approve", "rejects": "reject", "deletes": "delete",
	"creates": "create", "creating": "create", "making": "make", "approving": "approve", "rejecting": "reject", "deleting": "delete", "removing": "remove",
	"shows": "show", "showing": "show", "visitors": "people", "employees": "people", "persons": "people", "everything": "all", "u": "you",
}

var polite = words("please ok hi hello hey dear sir madam maam ji so and now then well just also actually yes no oh")

var vocatives = words("sir madam maam ma'am")

var request = words("can could would will may shall might")

var asks = words("is are was were has have had did does do when who whose whom what which where why how can could will would may should any am")

// pronouns stand for the pass, or the person, that was spoken of.
var pronouns = words("it its that this same him her he she his hers them they")

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"last": -1, "final": -1,
}

// statusWords are filters that one word names.
var statusWords = map[string]string{
	"pending": "pending", "waiting": "pending", "awaiting": "pending", "unapproved": "pending", "undecided": "pending",
	"approved": "approved", "cleared": "approved", "accepted": "approved", "sanctioned": "approved",
	"rejected": "rejected", "refused": "rejected", "denied": "rejected", "declined": "rejected", "disapproved": "rejected",
	"exited": "exited", "left": "exited", "departed": "exited",
	"returned": "returned", "completed": "completed", "finished": "completed", "closed": "completed", "deleted": "deleted", "removed": "deleted",
	"outside": "pending_return", "overdue": "pending_return",
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list(s) {
		m[w] = true
	}
	return m
}
