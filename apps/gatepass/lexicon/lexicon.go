// Package lexicon holds the words that pass desks use for other words: contractions,
// synonyms, and the Hindi that is mixed into their English.
//
// The tables are data and say nothing about tools. Whoever reads an utterance replaces
// what stands here before looking for meaning, so that a new spelling is one entry.
// Nothing changes them.
package lexicon

import "strings"

// Contractions are words that stand for several.
var Contractions = map[string][]string{
	"won't": {"will", "not"}, "wont": {"will", "not"}, "can't": {"can", "not"}, "cant": {"can", "not"},
	"don't": {"do", "not"}, "dont": {"do", "not"}, "doesn't": {"does", "not"}, "hasn't": {"has", "not"}, "hasnt": {"has", "not"},
	"haven't": {"have", "not"}, "isn't": {"is", "not"}, "didn't": {"did", "not"},
	"i'm": {"i", "am"}, "it's": {"it", "is"}, "he's": {"he", "is"}, "she's": {"she", "is"}, "that's": {"that", "is"},
	"what's": {"what", "is"}, "whats": {"what", "is"}, "wats": {"what", "is"}, "who's": {"who", "is"}, "where's": {"where", "is"}, "there's": {"there", "is"},
	"hes": {"he", "is"}, "shes": {"she", "is"}, "hell": {"he", "will"}, "let's": {"let", "us"}, "i'll": {"i", "will"}, "how's": {"how", "is"},
}

// Synonyms are words that are read as others everywhere.
var Synonyms = map[string]string{
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

// Hindi are words of Hindi, in Latin letters, that desks mix into their English, and
// the English words they are read as. "-" is left out: it says nothing here.
var Hindi = map[string]string{
	"bana": "make", "banao": "make", "banaa": "make", "banado": "make", "banwa": "make", "banwao": "make", "banaiye": "make", "chahiye": "need", "chaiye": "need",
	"dikhao": "show", "dikha": "show", "dikhado": "show", "dikhaiye": "show", "batao": "tell", "bata": "tell", "bataiye": "tell", "dekh": "see", "dekho": "see", "dekhna": "see",
	"bhejo": "send", "bhej": "send", "bhejiye": "send", "hatao": "remove", "hata": "remove", "hataiye": "remove", "mita": "delete", "mitao": "delete",
	"mat": "not", "nahi": "no", "nahin": "no", "nai": "no", "bahar": "outside", "baahar": "outside", "andar": "inside", "wapas": "back", "vapas": "back", "wapis": "back",
	"ja": "going", "jaa": "going", "jaata": "going", "aa": "come", "aaya": "came", "aayi": "came", "aaye": "came",
	"aayega": "return", "ayega": "return", "aayegi": "return", "ayegi": "return", "aayenge": "return", "ayenge": "return", "lautega": "return", "lautegi": "return",
	"kaun": "who", "kon": "who", "kitne": "how", "kitna": "how", "kya": "what", "kaunsa": "which", "kaunse": "which", "kab": "when", "abhi": "now", "aaj": "today",
	"ise": "it", "isko": "it", "usko": "it", "iska": "its", "uska": "its", "iski": "its", "uski": "its", "wale": "ones", "wala": "ones", "waale": "ones", "waala": "ones", "wali": "ones",
	"sab": "all", "sabhi": "all", "saare": "all", "pehla": "first", "pehle": "first", "doosra": "second", "dusra": "second", "teesra": "third", "tisra": "third",
	"mera": "my", "mere": "my", "meri": "my", "mujhe": "me", "hum": "we", "aur": "and", "lekin": "but", "theek": "ok", "thik": "ok", "accha": "ok", "acha": "ok",
	"chhodo": "forget", "chodo": "forget", "chhod": "forget", "jaldi": "urgently", "kripya": "please", "dhanyawad": "thanks",
	"hai": "-", "hain": "-", "ho": "-", "tha": "-", "raha": "-", "rahi": "-", "rahe": "-", "gaya": "-", "gayi": "-", "gaye": "-", "liya": "-", "diya": "-",
	"kar": "-", "karo": "-", "karna": "-", "kardo": "-", "karke": "-", "kijiye": "-", "dijiye": "-", "dena": "-", "arre": "-", "arey": "-", "yaar": "-", "bhai": "-", "na": "-",
	"ek": "-", "toh": "-", "bhi": "-", "ko": "-", "se": "-", "jara": "-", "tak": "by", "bhaiya": "-", "zara": "-", "jayega": "-", "jayegi": "-", "jayenge": "-",
}

// Ordinals are places in a list; -1 is the last.
var Ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"last": -1, "final": -1,
}

// Statuses are filters that one word names.
var Statuses = map[string]string{
	"pending": "pending", "waiting": "pending", "awaiting": "pending", "unapproved": "pending", "undecided": "pending",
	"approved": "approved", "cleared": "approved", "accepted": "approved", "sanctioned": "approved",
	"rejected": "rejected", "refused": "rejected", "denied": "rejected", "declined": "rejected", "disapproved": "rejected",
	"exited": "exited", "left": "exited", "departed": "exited",
	"returned": "returned", "completed": "completed", "finished": "completed", "closed": "completed", "deleted": "deleted", "removed": "deleted",
	"outside": "pending_return", "overdue": "pending_return",
}

// Polite are words that only open a sentence.
var Polite = Set("please ok hi hello hey dear sir madam maam ji so and now then well just also actually yes no oh")

// Vocatives are how people are spoken to.
var Vocatives = Set("sir madam maam ma'am")

// Request are words that ask politely for a deed.
var Request = Set("can could would will may shall might")

// Asks are words that open a question.
var Asks = Set("is are was were has have had did does do when who whose whom what which where why how can could will would may should any am")

// Pronouns stand for the pass, or the person, that was spoken of.
var Pronouns = Set("it its that this same him her he she his hers them they")

// Doubts are words with which a sentence seldom asks for a deed right now: it denies,
// weighs, tells of another time, or takes back.
var Doubts = Set(`not no never un nobody none neither nor without or either maybe perhaps may might but except only mistake wanted tried stopped stop
will tomorrow yesterday ago forgot later two three both other others lot if`)

// OfNew are those of them that people use of a new pass, because it is about a time to
// come.
var OfNew = Set("not no never without will tomorrow yesterday two three only later may but")

// Plain are the words of which a plain yes or no is made. A yes with any other word in
// it says more than yes: "yes, but for Tuesday" is no agreement.
var Plain = Set(`yes no not sure true false course definitely certainly absolutely correct right confirm confirmed ok affirmative negative ji y indeed surely
bilkul please do it go ahead proceed that is the this one pass sir madam of fine create make approve delete remove reject scan keep as never mind leave forget stop
cancel abort nevermind scratch drop skip kar karo nahi haan thanks thank you i want to am we will just now deed done agree agreed theek hai rehne`)

// Set returns the words of a list.
func Set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
