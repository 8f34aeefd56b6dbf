"""Everyday wordings of questions, with plainer ones that mean the same."""

from __future__ import annotations

from graphbrick.language.expressions.expression import Expression

_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_UNITS = (
    "(?:years|months|weeks|days|hours|minutes|seconds|metres|meters|kilomet(?:re|er)s|centimet(?:re|er)s|miles|yards"
    "|pages|thousands|millions)"
)
_US = r"(?:us|here|the (?:company|firm|organi[sz]ation|team)|our (?:company|firm|team))"
_UNIT = (
    r"(?:second|minute|hour|day|week|month|year|(?:kilo)?met(?:re|er)|mile|kilo(?:gram)?|ton|lit(?:re|er)|inch|foot)"
)
_IF_SO = r"(?: and)?,?(?: (?:if so|if yes|if there are(?: any)?|if any),?)?"
_WHICH_ONES = rf"{_IF_SO} (?:which(?: ones?)?|who|what|whom)(?: (?:are|is) (?:they|it|those|that))?"
_HOW_MANY = rf"{_IF_SO} how many(?: (?:are|of them are) there)?"
_EVERYBODY = (
    r"(?:(?:list|show(?: me)?|give me|name|find|the|our) )*(?:names? of )?"
    r"(?:everybody|everyone|all (?:the )?(?:people|persons|those))"
)
EVERYDAY = tuple(
    (Expression(wording), plainer)
    for wording, plainer in (
        (r"^((?:what|which|who)(?: is| was| are| were)) (?:our|my|your) ", r"\1 the "),
        (r"^(which|what|how many) of (?:our|my|your) (?=[a-z])", r"\1 "),
        (r"^who of (?:our|my|your) (?:people|staff|team|colleagues|employees) (?=[a-z])", "who "),
        (r"\b(sells?|sold|suppl(?:y|ies|ied)|delivers?|delivered|sends?|sent|offers?|offered|provides?|provided) us\b",
         r"\1"),
        (r"\b(?:in|from|of|on) ((?:[a-z]+ )?\d{4}) or (?:later|after|newer|more recent)\b", r"since \1"),
        (r"\b(?:in|from|of|on) ((?:[a-z]+ )?\d{4}) or (?:earlier|before|older)\b", r"until \1"),
        (r"^((?!.*\be\d|.*\b(?:is|are|was|were|been) [a-z]+ (?:the )?(?:most|least) )"  # «is ordered most often» is no
         r".*?)(?: the)? (most|least) (?:often|frequently|times)$", r"\1 the \2"),  # «ordered the most», a quantity
        (r"^(which|what) (.+?) (?:has|have|did|do) (?:nobody|no.one) (?!to\b)(?:ever )?(.+)$",
         r"\1 \2 have never been \3"),
        (r"(?<!^)\bnone of (?:the|these|those|our|your) (?!e\d)", "no "),
        (r"\bthe u\.?s\.?(?=$| )", "the usa"),
        (r"^(.*\b(?:biggest|largest|smallest|highest|lowest)\b.*?),? in (?:terms of )?(?:money|value)$", r"\1"),
        (r"(?: ever| so far| to date)(?:$|(?= by ))", ""),
        (r"\b(of|for) (?:everybody|everyone|anybody|anyone|all people|all those) (?=who )", r"\1 those "),
        (r"\bcontact persons?\b", "contact"),
        (r"^(who|(?:which|what) [a-z]+)(?:'s| has| have)? (?:been|worked|stayed) (?:with |in |at |for )?"
         rf"{_US}(?: the)? longest$", r"\1 joined earliest"),
        (r"^(who|(?:which|what) [a-z]+)(?:'s| has| have)? (?:been|worked|stayed) (?:with |in |at |for )?"
         rf"{_US} longer,? (?=(?:the )?e\d)", r"\1 joined earlier, "),
        (rf"\b(joined|started) (?:at |with |in )?{_US}(?= (?:first|last|earliest|latest|most recently|before|after"
         r"|since|in \d))", r"\1"),
        (r"(?<![\w.,+])(\d[\d,.]*)\s?\+(?=\s|$)", r"at least \1"),
        (r"\blongest[- ](?:serving|standing) (?=[a-z])", "earliest joined "),
        (r"^((?:which|what) (?:[a-z0-9]+ )?[a-z]+)(?: has| have)? been (?:in|on) (?:the|our) (?:crm|system|database"
         r"|books|catalogue|catalog|records|list)(?: the)? longest$", r"\1 were created earliest"),
        (r"\b(?:was|were|came|came out|arrived|appeared)(?: the)? (first|last) (?:on|to) (?:the )?market\b",
         r"was released \1"),
        (r"\bthe (most|least) money to spend\b", r"the \1 budget"),
        (r"^who ((?:has|have|had|is|was|made|got|gets) .*\b(?:most|fewest|least|[a-z]+est)\b.*?) (?:of|among) all "
         r"(?:of )?(?:our|the|your) ([a-z]+s)$", r"which \2 \1"),
        (r"^(?:any|every)(?:one|body) (?:here )?(?=with |having )(?:with|having)\b", "who has"),
        (r"^(?:any|every)(?:one|body) (?=in |at |from |on )", "who is "),
        (r"^(?:any|every)(?:one|body) (?:who|that) ", "who "),
        (r"^(.*\b(?:not|never|no|nobody|without)\b.*) (?:yet|so far|until now|up to now)$", r"\1"),
        (r"\b(has|have|had|gets?|got|bought|buys?|orders?|ordered|purchased|receives?|received|rents?|rented|borrowed)"
         r"((?: [a-z0-9]+){0,4}) from us$", r"\1\2"),
        (r"\bwithout a single\b", "without any"),
        (r"\bnot a single\b", "no"),
        (rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (or|and) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?"
         rf"({_MONTH})( \d{{4}})?\b", r"\1 \4\5 \2 \3 \4\5"),
        (r"^how many people (?:can |do |does |will |could )?(?:fit|sit|go|be seated) (?:in(?:to|side)?|at) "
         r"((?:the )?e\d+)$", r"what is the capacity of \1"),
        (r"^how many people (?:can|does|will|could) ((?:the )?e\d+) (?:hold|seat|fit|take|accommodate)$",
         r"what is the capacity of \1"),
        (r"\b(?:folks|guys)\b(?= (?:who|that|from|in|at|on|with|working|of|[a-z]+ing)\b|$)", "people"),
        (r"^when did (?:we|you) (?:get|receive|have) the (last|latest|first|newest|most recent) ([a-z]+) "
         r"(?:from|of|by) (?=(?:the )?e\d+$)", r"when was the \1 \2 of "),
        (r"^how (?:many|much) (e\d+) (?:do we have|have we got|is there|are there|is|are)(?: left| still)* in stock$",
         r"how many units of \1 are in stock"),
        (r"^(?!(?:which|what|who|how|when|where|is|are|do|does|did|list|show|name|give|find)\b)([a-z -]+|e\d+) "
         r"(?:that|which|who) (?=(?:costs?|earns?|makes?|sells? for|weighs?) .*\d+ [a-z]+$)", r"which \1 "),
        (r"(?<=[a-z0-9])(?: out)?,? of (?:them )?all$", ""),
        (r"\b(has|have|had) got\b", r"\1"),
        (r"^((?:the |e\d).+) (?:was|were|is|are) ([a-z]+ )?(in|from|on|at|of|for) (?:which|what) ([a-z]+)$",
         r"which \4 are \1 \2\3"),
        (r"^((?:the |e\d).+) (?:was|were|is|are) ([a-z]+) by (?:who|whom)$", r"who \2 \1"),
        (r"\bavg\b", "average"),
        (r"^(.*\b(?:shortest|longest)\b.*?),? in terms of time$", r"\1 by duration"),
        (r"\b(with|without|have|has|had) (e\d+)'s?(?=$|,| (?:and|or|in|at|who|that|which|from|over|under|do|are|is)\b)",
         r"\1 \2"),
        (r" (?:(?:that|which) )?(?:i|we|you|one) can (?:take|use|choose|book|fly with|go with) (?:if|when) "
         r"(?:i|we|you|one) (?:want|need|wish|have|would like) to (?:travel|fly|go|get) (?=from )", " fly "),
        (r"^what (the .+?) (is|was|are|were) that (?:is|was|are|were|has been|have been) ", r"what \2 \1 "),
        (r"^((?:in|at|from|on|to) (?:which|what) [a-z]+) (e\d+'s [a-z]+s|the [a-z]+s of e\d+) "
         r"(?!do\b|are\b|were\b|have\b)([a-z]+)$", r"\1 do \2 \3"),
        (r",? at least once\b", ""),
        (r"\b((?:has|have|had|did) (?:the |our |any )?(?:e\d+|[a-z]+)) ever (?=[a-z])", r"\1 "),
        (r"^what (?:did|does|do) the ([a-z ]+?) (?:on|of|for) ((?:the )?e\d+) come to$", r"what is the \1 of \2"),
        *(
            (rf"\b(?:in|during|on) (?:the )?{which} week of ({_MONTH} \d{{4}})\b", rf"between {low} \1 and {high} \1")
            for which, low, high in (("first", 1, 7), ("second", 8, 14), ("third", 15, 21), ("fourth", 22, 28))
        ),
        *(
            (rf"\b(?:in|during|from|of) (?:the )?(?:{which})(?: of)? (\d{{4}})\b", rf"between {low} \1 and {high} \1")
            for which, low, high in (
                ("first quarter|q1", "january", "march"), ("second quarter|q2", "april", "june"),
                ("third quarter|q3", "july", "september"), ("fourth quarter|last quarter|q4", "october", "december"),
                ("first half|h1", "january", "june"), ("second half|h2", "july", "december"),
            )
        ),
        (r"^(?:give me |show me |list |tell me )?(?:the |a )?(?:complete |full |whole |entire )?list of (?:all )?"
         r"(?:the )?(?:things|everything)(?: that| which)? (?:our |the )?(.+?) (?:are|is|were) "
         r"(.*(?:to|of|for|with|by|from|on|in))$", r"what are the \1 \2"),
        (r"^(?:give me |show me )?(?:the |a )?(?:complete|full|whole|entire) list of ", "list "),
        (r"^where (do|did) (?:the )?(most|majority)(?: of)? (?:our |the |all )?([a-z]+) (?:live|come from|reside),?"
         r"(?: -)? (?:in )?(?:which|what) ([a-z]+)$", r"in which \4 \1 most \3 live"),
        (rf"\b({_MONTH})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", r"\2 \1 \3"),
        (r"^(which|what|how many) of the (?=e\d+ [a-z]+s\b)", r"\1 "),
        (r"^(when|(?:at )?what time) should (.+?) (?:have )?([a-z]+)$", r"\1 is \2 scheduled to \3"),
        (r"^(?:to )?where (?:is|are|was|were) (.+?) (?:headed|heading|bound)(?: to| for)?$", r"where does \1 go to"),
        (r"\bhalf an hour\b", "30 minutes"),
        (r"\b(?:an|one) hour and a half\b|\bone and a half hours\b", "90 minutes"),
        (rf"\b(\d[\d.,]*|an?) ({_UNIT}s?) or (?:less|fewer|under|shorter)\b", r"at most \1 \2"),
        (rf"\b(\d[\d.,]*|an?) ({_UNIT}s?) or (?:more|over|longer)\b", r"at least \1 \2"),
        (r"\b(than|over|under|above|below|least|most|exactly|within|up to|about) an? "
         rf"(?={_UNIT}\b)", r"\1 1 "),
        (r"\b(?:gives?|provides?|yields?|restores?) (?=(?:exactly |at least |at most |(?:more|less|fewer) than |over "
         r"|under )\d+ [a-z]+)", "have "),
        (r"^((?!how|number|count|which|what).+?),? (?:broken down|split(?: up)?) (?:by|per) ([a-z ]+?)"
         r"(?:,? (?:just|only) the (?:counts?|numbers?))?$", r"number of \1 by \2"),
        (r"^((?!how|number|count|which|what).+?),? (by|per) ([a-z]+(?: [a-z]+)?),?"
         r"(?: please,?)? (?:just|only) the (?:counts?|numbers?|totals?)$", r"number of \1 \2 \3"),
        (rf"^{_EVERYBODY} (?:who|that) ", "who "),
        (rf"^{_EVERYBODY} (?:with|having) ", "who has "),
        (rf"^{_EVERYBODY} (?=in |at |from )", "who is "),
        (r"^(how many) (?:people|persons)( .+?)? (?:are|is|were|do we have|have we got|are there) (?:as|among) "
         r"(?:the |our )?([a-z]+)$", r"\1 \3\2 are there"),
        (r"^(how many) (?:kids|children|people|persons)( (?:under|below|over|above|aged|older|younger) .+?)"
         r" (?:are|is|were)(?: there)? among (?:the |our )?([a-z]+)$", r"\1 \3\2 are there"),
        (r",? (?:all in all|all told|taken together),?(?= (?:in|over|across|for|on|at) )", " "),
        (r"^(how many .+? (?:are there|do we have)) (?:over|across) (?=all )", r"\1 in "),
        (r"\b(?:marked|flagged|labell?ed|tagged) as (?=[a-z])", ""),
        (r" at (?:one|some) ([a-z]+) or (?:another|other)$", r" at any \1"),
        (r"^(?:can|could) (?:we|i|you|one) (?:get|buy|order|use|obtain|access|rent|have) ((?:the )?e\d+) "
         r"(?:through|via|from|at|on|with) ((?:the )?e\d+)$", r"does \2 have \1"),
        (r"^((?:which|what) [a-z -]+?) (?:can|could) (?:we|i|you|one) (?:get|buy|order|obtain|access|rent) "
         r"(?:through|via|from|at) (e\d+)$", r"\1 does \2 have"),
        (r"\bbelonging to\b", "of"),
        (r"^((?:all|every|any) .+) but (?=(?:the )?e\d+$)", r"\1 except "),
        (r"^(?:the )?(most (?:common|frequent)|commonest|rarest|least common) ([a-z]+(?: [a-z]+)?)$",
         r"what is the \1 \2"),
        (r"^(?:the )?(?:number|count) (?!of\b|for\b|is\b|by\b|per\b|in\b|\d)(?=[a-z]+s\b)", "number of "),
        (r"^(?!what|which|how|the |show|list|top )((?:.* )?[a-z]{3,}s\b.*) count$", r"number of \1"),
        (r"\b(specs?|specifications?|teams?|compan(?:y|ies)|people|persons?|authors?|groups?|organi[sz]ations?) "
         r"behind (?=e\d|the )", r"\1 of "),
        (r" back in the days?$", ""),
        (r"^(what(?: is| are)) (?:the )?(.+),? (?:added|summed|totall?ed|put|taken) (?:up|together)$",
         r"\1 the total \2"),
        (r"\b(is|are|has|have) (?:the )?(?:biggest|largest|top|highest|greatest)(?: ones?)? (?:by|in) (?:the )?"
         r"(?:number|count) of (?=[a-z])", "has the most "),
        (r"\b(is|are|was|were) (?:the )?(?:smallest|lowest)(?: ones?)? (?:by|in) (?:the )?"
         r"(?:number|count) of (?=[a-z])", "has the fewest "),
        (r"\b(is|are) (?:still|currently|presently) ([a-z-]+)$", r"\1 \2"),
        (r"\b(?:became|become) (?=[a-z]+ed(?:$|,| and\b))", "are "),  # with a time, it is when that began
        (r"^((?:which|what|how many|list|show|all) .+?) (?:that |which )?(?:(?:have|has|contains?) no"
         r"|(?:do|does) not (?:have|contain|include)) ([^,]+?) in (?:the|its|their) (name|title)s?$",
         r"\1 without \2 in the \3"),
        (r"^((?:which|what|how many|list|show|all) .+?) (?:that |which )?(?:have|has|contains?|includes?) ([^,]+?) "
         r"in (?:the|its|their) (name|title)s?$", r"\1 with \2 in the \3"),
        (r"^((?:in|on|during|since|between|before|after|from) (?:[a-z0-9-]+ ){0,4}[a-z0-9-]*\d[a-z0-9-]*),? "
         r"((?:how (?:many|much)|which|what|who) .+)$", r"\2 \1"),  # «in 2013, how many orders were placed»
        (r"^((?:which|what|how many) [a-z -]+?),? (?:other than|apart from|besides|except(?: for)?) "
         r"(e\d+(?:(?:, | and |, and | or )e\d+)*),? (?!or |and )([a-z].*)$", r"\1 \3 other than \2"),
        (r"^(?:if|when) (?:i|we|you) (?:add|sum)(?: up)? (?:all )?(?:of )?(?:the )?([a-z]+ (?:of|from|by|with|in) .+?)"
         r"(?: up)?,? how much money (?:is|would|will|does) (?:that|it|this)(?: (?:be|make|come to))?$",
         r"what is the total amount of the \1"),
        (r"^(?:if|when) (?:i|we|you) (?:add|sum)(?: up)? (?:all )?(?:the )?(.+?)(?: up)?,? "
         r"(?:what|how (?:much|many)) "
         r"(?:do|would|will|is)(?: (?:i|we|you|it|that))?(?: (?:get|have|be|total))?$", r"what is the total \1"),
        (r"^(which|what) (\w+) (?:has|have|had|did|does|do) (e\d+) (?:made|make|done|do|had|have) (\w+) in$",
         r"\1 \2 do the \4 of \3 have"),
        (r"^(?:has|have|had) (e\d+) (?:ever )?been ", r"was \1 "),
        (r"^for how many (.+?) (?:do|did) (?:we|you) not know the (.+)$", r"how many \1 have no \2"),
        (r"^for how many (.+?) (?:is|are|was|were) the (.+?) (?:unknown|not known|missing|not given|empty)$",
         r"how many \1 have no \2"),
        (r"^(?:for|over|during|in|across) (?=how many (?:seasons|years|months|weeks|days|times)\b)", ""),
        (r"^(for|with|against|by|to) (how many .+)$", r"\2 \1"),
        (r"\b(but|and|yet) (?:no|none of(?: the)?|nothing (?:from|by|of|in)) (?=e\d)", r"\1 not "),
        (r"^(?:what|how much) (?:do|does|did) (?:all )?(?:of )?(?:the )?(.+?) (?:add|amount|come|sum|total)(?: up)?"
         r"(?: to)?(?: in total| altogether| together)?$", r"what is the total of the \1"),
        (r"^(how (?:fast|slow)) (?:can|could|does|do|did|will) (?:an? )?(e\d+) "
         r"(?:go|run|fly|travel|move|drive|sail|swim)\b", r"\1 is \2"),
        (r"^how long (?:can|could|do|does|did|will) (?:an? )?(e\d+|the .+) (?:live|last for)\b",
         r"what is the lifespan of \1"),
        (r"\b(joined|started(?: work(?:ing)?)? (?:at|for|in)|hired by) (?:the|this|our) (?:company|firm|business"
         r"|organi[sz]ation|staff) (?=(?:in|on|before|after|since|between|during) )", r"\1 "),
        (r"\b(?:that |which )?(?:you|we|one) (?:can|could|get to|may) (?:see|meet|find)(?= in\b)", ""),
        (r"\b(?:lives?|lived) (?:the )?(longest|shortest)\b", r"has the \1 lifespan"),
        (r"^(what is the .+?) like (?=(?:on|in|at|of|for) )", r"\1 "),
        (r"^what (.+?) (?:is|are) (.+) like$", r"what \1 does \2 have"),
        (r"\b([a-z]{3,}) directly (to|for|at|in|on|by|with|from)\b", r"\1 \2"),
        (rf"^(?:are|is) there (?:any |an? )?(.+?)[?.,]*{_WHICH_ONES}$", r"\1"),
        (rf"^(?:do|did) (?:we|you|they) have (?:any |an? )?(.+?)[?.,]*{_WHICH_ONES}$", r"\1"),
        (rf"^(?:are|is) there (?:any |an? )?(.+?)[?.,]*{_HOW_MANY}$", r"how many \1 are there"),
        (rf"^(?:do|did) (?:we|you|they) have (?:any |an? )?(.+?)[?.,]*{_HOW_MANY}$", r"how many \1 do we have"),
        (r"\b(?:count|tally) (?:up )?(?:the |our |all (?:the |our )?)?(?=[a-z][a-z -]*? (?:by|per) [a-z ]+$)",
         "number of "),  # «count our browsers by type»
        (r"^for (?:each|every)(?: of the)? (.+?)(?: values?)?,? (how many .+?) "
         r"(?:have|has|had|use|uses|share|carry|(?:are|is|falls?|belongs?) (?:in|on|of|at|under|to|with|from))"
         r" (?:it|that|this|them)$", r"\2 per \1"),
        (r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!of )(?<!what )(?<=[a-z] )(?:the )?"
         r"(?:largest|biggest|highest|greatest|widest|broadest) "
         r"(?:number|variety|range|selection|choice) of (?:different |distinct |various )?(?=[a-z]+s\b)",
         "the most "),
        (r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!of )(?<!what )(?<=[a-z] )(?:the )?(?:smallest|lowest) "
         r"(?:number|variety|range|selection|choice) of (?:different |distinct |various )?(?=[a-z]+s\b)",
         "the fewest "),
        (rf"\b(?:more than|over|above) (\d[\d.,]* (?!{_UNITS}\b)[a-z]+s) (tall|long|high|deep|thick)\b",
         r"\2er than \1"),
        (r"^(?:which|what) ([a-z]+) (?:(?:is|was) (?:(?:also|better|otherwise|usually) )?"
         r"(?:known (?:as|under|by)|called|named|listed (?:as|under))|goes by) (?:the (?:name|alias)(?: of)? )?(e\d+)$",
         r"\1 called \2"),
        (r"^(?:which|what) ([a-z]+) do (?:we|you|they) (?:have|list|track|know|keep|file|store) (e\d+) (?:under|as)$",
         r"\1 called \2"),
        (r"^(?:for )?((?:which|what|how many) .+?) (?:do|did|have) (?:we|you|they) (?:have |got )?no (.+?)"
         r"(?: (?:for|of|from|on|with|in|about|against))?$", r"\1 have no \2"),
        (r"^what (?:can|could|should|do|might) (?:we|i|you|one) do against (?=(?:the )?e\d+$)", "what helps against "),
        (r"\b(mitigations?|protections?|defen[cs]es?|measures?|remed(?:y|ies)|treatments?|medicines?) against\b",
         r"\1 for"),
        (r"^(?:everything|anything|all) (?:(?:that|which) )?(?:(?:was|is|were|has been) )?([a-z]+ed) "
         r"(?=(?:in|on|before|after|since|between|from|until|during) )", r"what was \1 "),
        (r"\bwhose ([a-z -]+?) (?:stops?|ends?|reach(?:es)?|falls?|lies|starts?|begins?|dates?)(?: up)?"
         r"(?: somewhere| sometime| some time)? (?=(?:in|before|after|on|since|until|between|from) )", r"with \1 "),
        (r"^(?:apart from|aside from|besides|other than|except(?: for)?|excluding|not counting) (e\d+)"
         r"(?: itself| himself| herself| themselves)?,? ((?:who|which|what|how many) .+)$", r"\2 except \1"),
        (r"^(?:looking (?:only )?at|considering|taking|among|for|of|across|over)(?: only)?(?: all)? (?:of )?(?:the )?"
         r"(?!each\b|every\b|[^:,]*(?<!e)\d)(.+?)[:,] (what is the (?:average|mean|median|total|combined|highest"
         r"|lowest|largest|smallest|maximum|minimum) [a-z -]+)$", r"\2 of the \1"),
        (r"^((?:the )?e\d+)(?:,| ?[-–:])? (?:what do (?:we|you) know|what is known|anything known)"
         r"(?: (?:about|of|on) (?:it|him|her|them))?$", r"tell me about \1"),
        (r", (?:from|by|of|for|across) (?:all|any|whatever) [a-z]+s$", ""),
        (r"^(which|what) single (?=[a-z]+ .*\b(?:most|least|fewest|[a-z]{2,}est)\b)", r"\1 "),
        (r"^(?:on )?(?:what|which) (?:exact )?(?:day|date) did (?=(?:the )?e\d+ (?:start|begin|stop) )", "when did "),
        (r"^((?:which|what|how many) .+?) (?:do|does|did) ((?:the )?e\d+) (?:lack|miss) ((?:in|of|from|among) .+)$",
         r"\1 \3 does \2 not have"),
        (r"^((?:which|what|how many) .+?) (?:do|does|did) ((?:the )?e\d+) (?:lack|miss)$", r"\1 does \2 not have"),
        (r"\b(that |which )?((?:the )?e\d+) (?:lacks|misses|is (?:missing|lacking))$", r"\1\2 does not have"),
        (r"^((?:which|what|how many) .+?) (?:is|are) (?:missing|absent|lacking) (?:in|from|at) ((?:the )?e\d+)$",
         r"\1 does \2 not have"),
        (r"(?<=[a-z]s )(?:(?:that|which) (?:are|is) )?(?:missing|absent|lacking) (?:in|from|at) ((?:the )?e\d+)$",
         r"that \1 does not have"),
        (r"(?<=[a-z]s )(?:(?:that|which|who) )?(?:lack|are (?:missing|lacking)) (?=(?:the |an? |any )?[a-z])",
         "without "),
        (r"\b(?:is|are|was|were) (?:able|allowed) to\b", "can"),
        (r"(?<=[a-z] )(that|which|who) cannot (?!be\b)(?=[a-z]+ [a-z]+)", r"\1 do not "),
        (r"\b((?:takes?|accepts?|consumes?) .+?) as (?:an? |their |its )?inputs?\b", r"\1"),
        (r"\b((?:makes?|produces?|generates?|gives?|returns?) .+?) as (?:an? |their |its )?outputs?\b", r"\1"),
        (r"\b(?:do|does|did) ((?:the |our )?[a-z0-9 -]+?) have no (support|need|use|demand|control) (?:for|of|over)\b",
         r"does \1 not \2"),
        (r"\b(?:has|have|had) no (support|need|use|demand|control) (?:for|of|over)\b", r"does not \1"),
        (r"\b((?:between .+? and|from .+? (?:to|until)) [\w-]+),? \(?(?:both )?(?:years |days |dates |ends |of them )?"
         r"(?:are )?(?:included|inclusive)\)?$", r"\1"),
        (r"\bvery (first|last|best|worst|latest|oldest|newest)\b", r"\1"),
        (r"\b(?:came|come|comes) out (?=(?:in|on|before|after|between|since|during|from|until) )", "was released "),
        (r"\b(?:has |have |had )?(?:brought|brings|put|puts) out (?=(?:the )?(?:most|fewest|any|[a-z]+s\b))", "has "),
        (r"^(how many .+ (?:does|do|did) .+) come with$", r"\1 have"),
        (r"^how (?:big|large) is (e\d+) in (square [a-z]+|sq\.? ?[a-z]+)$", r"what is the \2 of \1"),
        (r" (?:that |which )?(?:you|we|one|i) can (?:fly|go|get|travel|drive|take)(?: to)?(?= from\b)", ""),
        (r"^how many (square [a-z]+) (?:does|do|has|have) (e\d+)(?: have)?$", r"what is the \1 of \2"),
        (r"^on average,? how (?:many|much) (.+?) (?:does|do|did|has|have) (?:an?|each|every) (.+?)"
         r"(?: (?:have|has|give|gives|get|gets))?$", r"what is the average \1 of all \2"),
        (r"^on average,? how (?:much|many) ([a-z ]+?) (?:do|does|did) (.+?) "
         r"(?:take|have|need|use|draw|consume|get|cost|weigh|earn|hold)$", r"what is the average \1 of \2"),
        (r"^(?:i|we) (?:need|want|require|am looking for|are looking for|would like)(?: to (?:know|have|see|get))? "
         r"(?=the [a-z -]+ (?:of|for) (?:the )?e\d+$)", "what is "),
        (r"^when (?:do|did|does) (?:we|you|they|one) expect to ([a-z]+) (?:the )?(e\d+)$",
         r"what is the expected \1 date of \2"),
        (rf"\b(between|from) ({_MONTH}) (and|to|until|through|till) ({_MONTH}) (\d{{4}})\b", r"\1 \2 \5 \3 \4 \5"),
        (rf"\b(between|from) (\d{{1,2}})(?:st|nd|rd|th)? (and|to|until|through|till) (\d{{1,2}})(?:st|nd|rd|th)?"
         rf" ({_MONTH})((?: \d{{4}})?)\b", r"\1 \2 \5\6 \3 \4 \5\6"),
        (r"\bbetween the (?:start|beginning) of (?=.+ and the end of )", "between "),
        (r"(?<= and )the end of (?=[a-z]+ \d{4})", ""),
        (r"^on average,? how (?:long|high|big|large|old|much|many) (?:is|are|was|were) (?:the )?",
         "what is the average "),
        (r"^how (?:long|high|big|large|much) (?:is|are|was|were) the (?=average )", "what is the "),
        (r"\b(bought|buys?|ordered|purchased|rented|booked|borrowed|hired|leased) (?:from|with|at|through) "
         r"(?:us|our (?:shop|store|company|firm))\b", r"\1"),
        (r" (?:on (?:file|record|the books)|in our (?:records|files|books|system))$", ""),
        (r"\bpieces? of (?=[a-z])", ""),
        (r"\b(no [a-z -]+?)(?: of (?:their|its) own)?(?: that (?:is|are))? (?:linked|attached|assigned|connected|tied) "
         r"(?:to|with) (?:them|it)$", r"\1"),
        (r"\b(no [a-z -]+?) of (?:their|its) own$", r"\1"),
        (r"\b(is|are|was|were) last (?=(?:changed|modified|updated|edited|revised)\b)", r"\1 "),
        (r"^(?:under|by) (?:what|which) other names? (?:is|are|was|were) (?:the [a-z]+ )?(e\d+)(?: also)? "
         r"(?:known|called|tracked|listed)$", r"what are the aliases of \1"),
        (r"^what (?:else is|other names? (?:does|do|is|are)) (?:the [a-z]+ )?(e\d+)(?: also)? "
         r"(?:called|known (?:as|by|under)|have|has|go by|used?)$", r"what are the aliases of \1"),
        (r"^(?:into|in) (?:what|which) (.+?) (?:is|are|was|were) (?:the )?(e\d+) "
         r"(?:broken down|split(?: up)?|divided|subdivided)$", r"what are the \1 of \2"),
        (r"^(how many .+) (?:does|do|did) (?:an?|each|every|the average) ([a-z ]+?) "
         r"(?:have|has|get|cover|include|contain|involve|comprise) on average$",
         r"\1 per \2 on average"),
        (r"^((?:which|what) .+?) (?:has|have|is|are) (?:the )?(?:widest|biggest|largest|broadest|longest|greatest)"
         r"(?: [a-z]+)?,? (?:in|by|measured (?:in|by)|counted (?:in|by)) (?:the )?(?:number|count) of (.+)$",
         r"\1 has the most \2"),
        (r"^(which|what) (.+?) (?:sells?|sold) (?:the )?best"
         r"(?:,? (?:counted |measured )?(?:in|by) (?:copies|units|pieces|quantity))?$", r"\1 \2 sold the most"),
        (r"\b(\d+) (?:pieces|units|items|copies|pcs)(?: left)? (?=(?:in|on) stock\b)", r"\1 "),
        (r",? (?:but )?no (sub-?[a-z]+s)$", r" that are not \1"),
        (r"\b(?:came|come) back (?:as |flagged (?:as )?|marked (?:as )?)?(?=[a-z]+$)", "are "),
        (r"^(how many .+) (?:are|is|do we have) in (?:our|the) (?:assortment|(?:product )?range|portfolio|catalog)$",
         r"\1 are there"),
    )
)  # fmt: skip
"""Each wording, in lower case with placeholders such as `e0` for names, with what is put in its place, in order."""
