package grammar

// hindi are words of Hindi, in Latin letters, that desks mix into their English, and
// the English words they are read as. "-" is left out: it says nothing here.
var hindi = map[string]string{
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

// readHindi reads the words of Hindi in u and puts what its postpositions say where
// English has it: "Ravi ke liye" is for Ravi, "Ravi ka pass" is Ravi's pass.
func (u *utterance) readHindi() {
	out := u.tokens[:0:0]
	for i := 0; i < len(u.tokens); i++ {
		t := u.tokens[i]
		if t.kind != tokWord {
			out = append(out, t)
			continue
		}
		switch next := u.word(i + 1); {
		case t.word == "ko" && len(out) > 0 && out[len(out)-1].capital && out[len(out)-1].kind == tokWord:
			out = before(out, "for") // "Suresh ko": it is Suresh who must
			continue
		case (t.word == "aa" || t.word == "wapas") && (next == "jayega" || next == "jayegi" || next == "jayenge"):
			t.word = "return"
			out = append(out, t)
			i++
			continue
		case (t.word == "ke" || t.word == "k") && (next == "liye" || next == "lie") && len(out) > 0:
			out = before(out, "for")
			i++
			continue
		case (t.word == "ka" || t.word == "ki" || t.word == "ke") && len(out) > 0 && next != "":
			if last := &out[len(out)-1]; last.kind == tokWord && last.capital {
				last.possessive = true
			}
			continue
		case t.word == "do" && len(out) > 0 && t.gap == 0 && hindi[u.word(i-1)] != "":
			continue // "kar do": the verb stands before it
		}
		if w, ok := hindi[t.word]; ok && (!t.capital || i == 0) {
			if w == "-" {
				if i+1 < len(u.tokens) && u.tokens[i+1].gap == 0 {
					u.tokens[i+1].gap = t.gap
				}
				continue
			}
			t.word = w
		}
		out = append(out, t)
	}
	u.tokens = out
}

// before puts word in front of the name, or the one token, that tokens end with.
func before(tokens []token, word string) []token {
	from := len(tokens) - 1
	for from > 0 && tokens[from].capital && tokens[from-1].capital && tokens[from].gap == 0 {
		from--
	}
	t := tokens[from]
	mark := token{word: word, start: t.start, end: t.start, gap: t.gap}
	tokens[from].gap = 0
	return append(tokens[:from], append([]token{mark}, tokens[from:]...)...)
}
