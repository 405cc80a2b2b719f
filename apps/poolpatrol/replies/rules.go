package replies

import (
	"regexp"
	"strings"
	"sync"
)

// A rule is a bucket and the phrases that speak for it.
type rule struct {
	name   string
	bucket Bucket
	any    func() *regexp.Regexp
}

func phrases(list ...string) func() *regexp.Regexp {
	return pattern(`(?i)(?:^|[^\pL\pN])(` + strings.Join(list, "|") + `)(?:$|[^\pL\pN])`)
}

// pattern compiles an expression when the first reply comes: they are large, and every
// command of the product would wait for them.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// steering recognises text that speaks to software instead of the programme. It is
// looked for in the whole mail, quotes and markup included.
var steering = []rule{
	{"speaks to the system", Escalation, phrases(
		`(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:instruction|prompt|rule|polic|guardrail|previous|above|prior|safety|review|approval)\w*`,
		`(?:system|developer|assistant|admin(?:istrator)?|root)\s*(?:prompt|message|override|mode|note|instruction|notice)s?\b`,
		`(?:^|\n)\s*\W{0,4}(?:system|assistant|developer|tool|function|user|human|ai)\W{0,4}\s*[:>]`,
		`you are (?:now|an?|the) .{0,40}(?:ai|assistant|agent|bot|model|system|classifier|administrator|dan)`,
		`(?:as|dear|hey|attention|hello) (?:an? )?(?:ai|llm|language model|chatbot|agent|bot|assistant|classifier)\b`,
		`(?:act|behave|respond|pretend|roleplay|role-play) (?:as|like|to be)\b`,
		`(?:new|updated|further|special|hidden|secret|following) (?:instruction|directive|command|polic)\w*`,
		`(?:jailbreak|prompt injection|dan mode|developer mode|god mode|sudo)`,
		`(?:repeat|print|reveal|show|leak|output|dump|send) .{0,30}(?:prompt|instruction|polic|secret|password|token|api key|env|database|all (?:the )?(?:riders|employees|records|data))\w*`,
		`(?:end of|begin|start of) (?:prompt|context|instruction|email|system|message|input)\w*`,
		`(?:training|debug|test|maintenance|emergency) mode`,
	)},
	{"names a tool", Escalation, phrases(
		`[a-z]+_(?:membership|case|email|email_for_review|reply|outreach|specialist|profile|distance|shifts)\b`,
		`(?:call|invoke|execute|run|use|trigger)\s+(?:the |a |your )?(?:tool|function|api|command|action|code|script|query|sql)`,
		`tool[_ ]?(?:call|use|choice|result)s?`, `function[_ ]?call\w*`, `"?(?:tool|function|arguments|bucket|hitl_required|verdict)"?\s*[:=]`,
		`\{\s*"\w+"\s*:`, `drop table`, `select .{1,40} from\b`, `rm -rf`, `curl https?`, `<\s*(?:script|img|iframe|system|tool|function)`,
	)},
	{"orders an outcome", Escalation, phrases(
		`(?:cancel|remove|delete|terminate|revoke|drop|kick|suspend|unenroll|ban)\b.{0,60}\b(?:emp-\d+|vp-\d+|rider|riders|employee|employees|everyone|everybody|him|her|them|others?|membership|member|colleague|driver|seat)\w*`,
		`(?:classify|label|treat|categori[sz]e|mark|consider|set|file|flag|tag|bucket|code|log) (?:this|it|my|the|that)?.{0,40}(?:as|to|into|under)\b.{0,30}(?:acknowledg|update|question|escalation|approved|resolved|closed|verified|pass|compliant|eligible)\w*`,
		`(?:approve|close|resolve|clear|dismiss|pass) (?:this|my|the|every|all|any)\b.{0,20}(?:case|audit|review|check|request|approval|cancellation|rider|van)\w*`,
		`(?:verdict|status|outcome|bucket|result) (?:is|=|:|should be|must be|to)\b`,
		`no (?:human|person|manual|further) (?:review|approval|check)\w*`, `without (?:human|review|approval|asking)`,
		`pre-?approved`, `auto-?approve\w*`, `(?:i|we) (?:hereby )?(?:authori[sz]e|approve)\b`, `on behalf of`,
	)},
	{"hidden text", Escalation, pattern(`(?i)(<!--|display:\s*none|(?:[A-Za-z0-9+/]{4}){10,}={0,2}|(?:[0-9a-f]{2}[\s:]?){24,}|(?:%[0-9a-f]{2}){6,}|(?:\\u[0-9a-f]{4}){3,}|(?:\\x[0-9a-f]{2}){4,}|(?:&#x?[0-9a-f]{2,6};){4,}|base64|rot13|decode (?:this|the|and)|[.-]{2,}(?: [.-]{1,5}){8,})`)},
	{"forged headers", Escalation, pattern(`(?im)^\s*((?:x-[a-z-]+|bcc|cc|reply-to|return-path|received|dkim-signature|content-type|mime-version|message-id|authentication-results|sender):\s*\S)`)},
}

// still recognises that nothing changed. Its words are taken out before changes are
// looked for: "my address has not changed" reports no change.
var still = rule{"nothing changed", Acknowledgment, phrases(
	`(?:nothing|none of (?:it|that|this)) (?:has |have |'s )?changed`,
	`(?:has|have|did|is|was|do|does)(?: not|n'?t) (?:been )?(?:changed?|moved?|switch(?:ed)?|relocat(?:ed|e)?|any changes?|different)`,
	`no (?:recent )?(?:changes?|updates?)(?: (?:here|on my (?:end|side)|to report|at all|needed|so far|from me))?`,
	`(?:still|always) (?:live|living|work|working|on|at|the same|riding|drive|in)\b`,
	`same (?:address|shift|schedule|home|place|hours|apartment|house|site|as before|as always)`,
	`never (?:moved|changed|switched)`, `unchanged`, `up to date`, `up-to-date`,
)}

// ordered are the other rules; the first that matches decides.
var ordered = []rule{
	{"dispute", Escalation, phrases(
		`(?:not|isn'?t|wasn'?t|aren'?t) (?:true|correct|right|accurate|fair|acceptable|ok|okay|my fault|the case)`,
		`wrong`, `incorrect`, `inaccurate`, `false`, `mistake\w*`, `mistaken`, `error`, `errors`, `bogus`, `nonsense`, `untrue`, `mixed up`, `mix-?up`,
		`disput\w+`, `disagree\w*`, `contest(?:ing)?`, `object to`, `challeng\w+`, `appeal\w*`, `refus\w+`, `reject\w*`, `den(?:y|ied)`,
		`unfair\w*`, `unjust\w*`, `unreasonable`, `unacceptable`, `ridiculous\w*`, `absurd`, `outrag\w+`, `insult\w*`, `joke`,
		`how dare`, `kidding`, `not (?:going to|gonna) (?:accept|do|tolerate|answer|comply|move)`, `don'?t (?:agree|accept|believe|think (?:this|that|it) is|appreciate)`,
		`do not (?:agree|accept|believe|appreciate)`, `can(?:no|')?t (?:believe|accept|be right)`, `cannot (?:believe|accept|be right)`, `makes no sense`, `doesn'?t make (?:any )?sense`,
	)},
	{"upset", Escalation, phrases(
		`frustrat\w+`, `angry`, `furious`, `upset`, `annoy\w+`, `fed up`, `sick of`, `tired of`, `disappointed`, `disgusted?`, `disgrace\w*`, `appalled`, `offended`, `stress\w*`,
		`harass\w*`, `discriminat\w+`, `retaliat\w+`, `bull(?:y|ied|ying)`, `threat\w*`, `spy(?:ing)?`, `surveil\w*`, `invasion`, `creepy`, `privacy`, `gdpr`, `ccpa`,
		`stop (?:sending|e-?mailing|contacting|bothering|this)`, `leave me alone`, `unsubscribe`, `waste of (?:my )?time`, `witch hunt`, `third time`, `again and again`, `how many times`, `keep(?:s)? asking`, `already (?:told|explained|answered|said|sent|replied)`,
		`damn`, `hell`, `crap`, `bull ?shit`, `shit\w*`, `f+u+c+k\w*`, `wtf`, `idiot\w*`, `stupid\w*`, `incompeten\w+`, `screw`, `pathetic`, `useless`,
	)},
	{"asks for a person or the law", Escalation, phrases(
		`lawyer\w*`, `attorney\w*`, `legal\w*`, `sue`, `suing`, `lawsuit`, `court`, `(?:the|my|our|your) union`, `union rep\w*`, `ombuds\w+`, `regulator`, `labou?r board`, `whistle\w*`,
		`complain\w*`, `grievance`, `escalat\w+`, `supervisor`, `my manager`, `your manager`, `a manager`, `(?:contact|tell|inform|involve|call|cc|report (?:this |it |you )?to|go(?:ing)? to|taking this to) (?:hr|human resources)`, `speak (?:to|with) (?:a|an|some|your)\w*`, `talk to (?:a|an|some|your)\w*`, `real person`, `human being`, `call me`, `phone me`, `in person`,
	)},
	{"hardship", Escalation, phrases(
		`medical\w*`, `disab\w+`, `accommodat\w+`, `pregnan\w+`, `maternity`, `surgery`, `hospital\w*`, `illness`, `cancer`, `died`, `death`, `bereave\w*`, `divorc\w+`, `custody`, `domestic`, `evict\w+`, `homeless`, `shelter`, `restraining order`, `fmla`, `ada\b`, `only way (?:to|i can) get`, `lose my job`, `los(?:e|ing) my (?:job|seat|spot|ride)`, `without (?:the|this) van`,
	)},
	{"someone else's data", Escalation, phrases(
		`not me\b`, `wrong person`, `never (?:signed|registered|rode|ridden|joined|been (?:in|on|part))`, `don'?t (?:even )?(?:ride|use|know|remember|recogni[sz]e)`, `do not (?:ride|use|know|recogni[sz]e)`, `who are you`, `is this (?:a )?(?:scam|phishing|spam|legit|real)`, `scam`, `phishing`, `my (?:friend|cousin|brother|sister|husband|wife|neighbou?r|roommate)`, `someone else`, `lend\w*`, `lent`, `sold`, `cover(?:s|ing)? for`, `swap(?:ped|ping)? (?:seats?|with)`,
	)},
	{"moved", Update, phrases(
		`moved`, `relocated`, `moving (?:to|in|out|next|this|house|home|on|from|back)`, `(?:will|going to|about to|planning to) (?:move|relocate)`,
		`new (?:address|home|house|apartment|place|flat|zip|condo|residence)`, `chang(?:ed|ing) (?:my |our )?(?:home |mailing )?(?:address|residence|zip)`, `(?:address|zip|residence|home) (?:has |have |is |was |should be |now )?(?:been )?(?:changed|updated|different|out of date|outdated|old)`,
		`old (?:address|zip|apartment|house|place|schedule|shift|hours)`, `(?:now|currently) (?:live|living|reside|staying|based)`, `(?:live|living|staying) (?:now|currently)\b`, `bought a (?:house|place|home|condo)`, `(?:closer|nearer) to (?:the )?(?:site|work|plant|office|pickup|fremont|campus)`,
	)},
	{"works otherwise now", Update, phrases(
		`(?:switch(?:ed|ing)?|chang(?:ed|ing)|moved|transferred|transferring|rotat(?:ed|ing)|went|reassigned|assigned|transition(?:ed|ing)?|swapped|shifted) (?:my |our |over |back )?(?:\w+ ){0,3}(?:shift|shifts|schedule|hours|days?|nights?|swing|team|department|dept|line|site|crew|building)`,
		`new (?:shift|schedule|hours|role|position|job|team|site|rotation|crew|start time)`, `(?:shift|schedule|hours|start time|roster|rotation) (?:has |have |was |were |is |are |got |will |just |now |should be )*(?:been )?(?:changed?|changing|updated?|moved|adjusted|different|out of date|outdated|corrected|fixed)`,
		`(?:now|currently|starting|from) (?:\w+ ){0,3}(?:on|working|work|works) (?:the )?(?:\w+ )?(?:day|days|night|nights|swing|morning|evening|graveyard|early|late|weekend|weekends|first|second|third|1st|2nd|3rd|[a-d])\b`,
		`(?:work|working|am on|i'm on|put on|moved to|on) (?:the )?(?:day|days|night|nights|swing|morning|evening|graveyard|early|late|first|second|third|1st|2nd|3rd) (?:shift|shifts|now|crew|rotation|since|as of|from)`,
		`transferred`, `promot(?:ed|ion)`, `went part[- ]?time`, `(?:back|returned|returning) (?:from|to) (?:leave|work|days|nights|sabbatical)`,
	)},
	{"has put it right", Update, phrases(
		`(?:i(?:'ve| have)?|just|have|has|we(?:'ve)?|already) (?:now |just |already |also )?(?:updated|corrected|fixed|amended|changed|submitted|entered|filed|edited)`, `(?:updated|corrected|fixed|amended) (?:my|it|the|this|that|everything|in)`, `(?:please|can you|could you|kindly|pls) (?:update|correct|change|fix|amend) (?:my|the|it)`,
		`(?:will|going to|'ll|gonna) (?:update|correct|fix|change|amend) (?:my|it|the|this|that)`, `(?:left|leaving|dropped|dropping|quit(?:ting)?|getting|got) (?:out of |off |from )?(?:the |this |my |that )?(?:van ?pool|van|pool|programme?|company)`, `no longer (?:ride|riding|using|use|work|live|in|on|with|at|need)\w*`, `(?:stopped|stop) (?:riding|using)`, `last day`, `resign\w*`, `retir\w+`,
	)},
	{"asks", Question, phrases(
		`(?:what|why|how|when|where|which|who|whose|can|could|should|would|will|is|are|do|does|did|am|may|has|have|any)\b[^?.!]{0,200}\?`,
		`(?:i'?m|i am|i was|just|still) (?:wondering|curious|confused|not sure|unsure|unclear)`, `(?:please|could you|can you|would you|kindly|pls) (?:explain|clarify|tell me|let me know|elaborate|advise|confirm (?:what|why|how|if|whether|when))`, `(?:explain|clarify) (?:why|what|how|the|this)`, `(?:don'?t|do not|didn'?t|did not) (?:quite |fully |really )?understand`, `not sure (?:what|why|how|if|whether|which|i)`, `(?:want|need|like|love) to know`, `what (?:do|does|should|must|can|is|are) (?:i|you|this|it|that|the)\b`, `how (?:do|long|can|does|is|should|far|many|much)\b`, `why (?:did|was|am|is|are|do|have|has)\b`, `question(?:s)? about`, `(?:a|one|quick|two|few) questions?`,
	)},
	{"agrees", Acknowledgment, phrases(
		`all (?:is |looks |seems )?(?:good|well|set|clear|correct|right|fine|ok|okay)`, `(?:looks|seems|sounds|that'?s|is|are|everything(?:'s| is)?|it'?s|this is|these are) (?:all |still |perfectly )?(?:good|right|correct|fine|ok|okay|accurate|great|in order|as it should be|true)`,
		`(?:i |i hereby |we |can |to )?(?:confirm|confirmed|acknowledge|acknowledged)`, `got it`, `understood`, `noted`, `received`, `will do`, `makes sense`, `no (?:problem|worries|issue|issues|objection|objections|concerns|comments)`, `thanks for (?:letting me know|the (?:heads[- ]up|note|reminder|notice|message|info\w*|mail|e-?mail|update))`, `thank you for (?:letting me know|the (?:heads[- ]up|note|reminder|notice|message|info\w*|mail|e-?mail|update))`, `appreciate (?:it|the (?:note|heads[- ]up|reminder|notice))`, `fine (?:with|by) me`, `good (?:here|to go|on my end|with me)`, `ok with me`, `agreed`, `roger(?: that)?`, `sounds good`, `nothing to (?:add|report|change)`,
	)},
}

// polite is a reply that is nothing but a courtesy: "Thanks!", "OK, thank you".
var polite = regexp.MustCompile(`(?i)^\W*(?:(?:ok(?:ay)?|yes|yep|yeah|sure|thanks|thank you|thx|ty|cheers|great|perfect|cool|done|alright|right|good|fine|correct|agreed|confirmed|noted|hi|hello|hey|dear|team|all|so much|very much|a lot|again|for that|best|regards|kind|many|👍|\[name\])\W*)+$`)

// Classify puts a reply into a bucket. text is the mail as it came; the rules look at
// what [Clean] leaves of it, and those on steering at all of it.
func Classify(text string) Reading {
	clean := Clean(text)
	for _, r := range steering {
		for _, t := range []string{clean, text} {
			if found := r.in(t); found != nil {
				return Reading{r.bucket, r.name, found}
			}
		}
	}
	if clean == "" {
		return Reading{Escalation, "nothing written", nil}
	}
	kept := still.in(clean)
	rest := clean
	if kept != nil {
		rest = still.any().ReplaceAllString(clean, " ")
	}
	for _, r := range ordered {
		if found := r.in(rest); found != nil {
			return Reading{r.bucket, r.name, found}
		}
	}
	switch {
	case strings.Contains(rest, "?"):
		return Reading{Question, "asks", []string{"?"}}
	case kept != nil:
		return Reading{Acknowledgment, still.name, kept}
	case polite.MatchString(rest):
		return Reading{Acknowledgment, "courtesy", []string{rest}}
	}
	return Reading{Escalation, "nothing known", nil}
}

// in returns the phrases of r that text holds, each once, at most five.
func (r rule) in(text string) []string {
	var out []string
	for _, m := range r.any().FindAllStringSubmatch(text, 5) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}
