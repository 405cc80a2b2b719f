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

// commonWords are words that say nothing about which tool is meant, and which typing
// errors are corrected to. Anything else that is left over speaks against an
// utterance being about gate passes.
var commonWords = list(`
a an the and or but if so to of for from in on at by with as into onto about up over under again still yet already just only too also very
i me my mine we us our you your he him his she her hers they them their it its this that these those there here
is are was were be been being am do does did done has have had having will would shall should can could may might must
not no yes ok please kindly sir madam dear bro ji
what which who whom whose when where why how all any some every each both few many much more most other another such same one ones once
number no id pass passes gate gatepass gatepasses list lists now today tomorrow yesterday day days week date time morning evening afternoon night noon lunch
am pm hour hours minute minutes half quarter next last first second third fourth fifth sixth seventh eighth ninth tenth
person people man woman lady gentleman guy visitor employee staff someone somebody anyone anybody name named called
go going goes gone went come coming comes came get got give given take taken took make made let want wants wanted need needs needed like know knows
show see seen look looking tell say said ask asked find check open view bring pull share send put keep
system record records entry desk office admin hr security guard premises
thank thanks hello hi hey good welcome fine great sure right correct exactly definitely certainly absolutely course
never mind forget leave cancel stop wait abort moment
because since while until before after during through between without within
new old out back inside outside way behalf
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
mistake duplicate wrong urgent urgently immediately asap quick quickly fast soon
just now right away moment minute page line queue request requests status state details
returnable roundtrip rn sorry thing things through thru anything something nothing everybody nobody
actually instead really simply maybe perhaps turned meant mean looks looked well able possible allowed ready currently non
`)

// plainWords are words of everyday English that are spelt right and stand for
// themselves: they are not taken for misspelt cues, and they say nothing about passes.
var plainWords = list(`
bank work visit home sick doctor hospital clinic medicine medicines court hearing lunch dinner tea food market shop shopping school college meeting
client customer site office factory warehouse delivery deliver courier parcel document documents file files cash money cheque payment bill bills
vehicle car bike bus train taxi cab auto repair service tools cables wire wires sample samples material materials goods stock items item laptop
personal family function wedding marriage funeral emergency urgent fever leave holiday half interview exam training event party temple bank
passport visa licence license police station post audit auditor inspection survey installation maintenance purchase buy buying collect collecting
drop dropping pick picking fetch fetching attend attending meet meeting see meal walk call phone weather joke poem song music movie salary account
room book order printer script python email mail coffee chai match score cricket politics opinion president minister capital life love world
lights light barrier boom police shift slip plus times write sing play turn fix buy transfer pay recommend translate pretend act mode developer
water rain hot cold hand hands head eye eyes face feet foot door floor wall window table chair paper pen key keys box bag bags card cards
four five six seven eight nine ten hundred thousand ever even else than then though although very such also into onto upon
read write wrote ride rode road rate rose rise rest best test text next past part park pack pick peak pair pain paid plan plane place plate
said sail sale same sand save seat seed seem self sell sent shoe shot sick side sign sing size skin slow snow soft soil sold some song soon sort
lead lean leaf left less life lift like line link lion list live load loan lock long look lose loss lost lots loud love luck
`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list(s) {
		m[w] = true
	}
	return m
}
