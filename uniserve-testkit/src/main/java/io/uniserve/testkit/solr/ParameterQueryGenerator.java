package io.uniserve.testkit.solr;

import java.util.List;
import java.util.Random;

/**
 * Generator of queries with parts that refer to each other: local parameters, {@code $} references, macros, tags excluded by facets, JSON
 * with domains, cursors, nearest neighbours, and the first document of each part.
 */
final class ParameterQueryGenerator {
    static final int KINDS = 9;
    private static final int PREFIX = 5;

    private static final List<String> SORTS =
            List.of("year_i desc,id asc", "first_s asc,id desc", "ratio_d asc,date_dt desc,id asc", "id asc");
    /** Sums of integers do not depend on the order of additions, so ties are the same everywhere. */
    private static final List<String> WHOLE =
            List.of("sum(year_i)", "max(length_l)", "min(length_l)", "sum(length_l)", "max(ratio_d)", "unique(year_i)");

    private static final List<String> NARROWER =
            List.of("", ",domain:{filter:'even_b:true'}", ",domain:{filter:['year_i:[1998 TO 2005]','text:WORD']}");
    private static final List<String> WIDER = List.of(
            ",domain:{excludeTags:t}",
            ",domain:{excludeTags:'t,w',filter:'length_l:[100 TO *]'}",
            ",domain:{query:'text:WORD'}",
            ",excludeTags:u");
    private static final List<String> FEW = List.of("year_i", "even_b");
    private static final List<String> MANY = List.of("first_s", "words_ss", "part_s", "year_i");

    private final Random random;
    private final SearchQueryGenerator queries;

    ParameterQueryGenerator(Random random, SearchQueryGenerator queries) {
        this.random = random;
        this.queries = queries;
    }

    String next(int kind) {
        return switch (kind) {
            case 0 -> main() + "&cursorMark=*&fl=id,year_i&rows=" + any(List.of(7, 40)) + "&sort=" + any(SORTS);
            case 1 -> nearest();
            case 2 -> local() + "&fl=id&rows=20&sort=" + any(SORTS);
            case 3, 4 -> main() + "&rows=0&facet=true" + tagged() + excluding();
            case 5, 6 -> main() + "&rows=0" + tagged() + "&json.facet=" + escape(facets());
            case 7 -> json();
            default -> main() + "&rows=0&stats=true" + tagged() + statistics();
        };
    }

    /** The first document of each part by various orders, for a table with all documents of a part in one actor. */
    String collapsed() {
        String first = any(List.of(
                "",
                " min=length_l",
                " max=share_f",
                " min=sum(year_i,length_l)",
                " max=year_i nullPolicy=expand",
                " sort='year_i desc,id asc'",
                " sort='first_s asc,length_l desc,id desc' nullPolicy=collapse",
                " nullPolicy=ignore hint=top_fc"));
        return main() + "&fq=" + escape("{!collapse field=" + CorpusDocumentFactory.PART + first + "}")
                + "&q.op=AND&fl=id&rows=40&sort="
                + any(SORTS)
                + any(List.of("", "&facet=true&facet.field=year_i", "&json.facet={y:{terms:year_i}}", "&start=3"));
    }

    /** Query with scores that do not depend on statistics. */
    private String main() {
        return "q=" + escape(any(List.of("*:*", "text:" + queries.word() + "^=1", "even_b:true^=2 year_i:1999^=1")));
    }

    /** Nearest neighbours among few documents. Among many, Lucene's graph may miss one, in one core as well. */
    private String nearest() {
        String few = any(List.of("part_s:part" + random.nextInt(CorpusDocumentFactory.PARTS), "year_i:1999 AND id:*7"));
        boolean before = random.nextBoolean();
        double angle = random.nextDouble() * 7;
        return "q="
                + escape("{!knn f=at_v2 topK=" + any(List.of(1, 5, 12)) + (before ? " preFilter=$few" : "") + "}["
                        + Math.cos(angle) + "," + Math.sin(angle) + "]")
                + (before ? "&few=" : "&fq=") + escape(few) + "&fl=id,score&rows=" + any(List.of(4, 20))
                + any(List.of("", "&sort=id desc", "&facet=true&facet.field=even_b", "&stats=true&stats.field=year_i"));
    }

    private String local() {
        String word = queries.word();
        String other = queries.word();
        return any(List.of(
                "q=" + escape("{!field f=text}" + word + " " + other),
                "q=" + escape("{!term f=words_ss}" + word),
                "q=" + escape("{!terms f=words_ss}" + word + "," + other),
                "q=" + escape("{!terms f=first_s separator=\"|\" v=$both}") + "&both=" + escape(word + "|" + other),
                "q=" + escape("{!prefix f=first_s v=$p}") + "&p=" + word.charAt(0),
                "q=" + escape("{!lucene q.op=AND df=text}" + word + " " + other),
                "q=" + escape("{!edismax qf=$where mm=1 v=$what}") + "&where=" + escape("text title") + "&what="
                        + escape(word + " " + other),
                "q=" + escape("{!bool must=$a must_not=$b filter=even_b:true}") + "&a=text:" + word + "&b=text:"
                        + other,
                "q=" + escape("{!frange l=1990 u=$top}sum(year_i,$n)") + "&n=3&top=2004",
                "q=" + escape("{!query v=$qq}") + "&qq=" + escape("{!dismax qf=text mm=1}" + word + " " + other),
                "q=" + escape("{!switch case.w=text:" + word + " default=*:* v=$s}") + "&s=w",
                "q=" + escape("text:${w} OR _query_:\"{!field f=text v=$o}\"") + "&w=" + word + "&o=" + other,
                "q=" + escape("{!complexphrase inOrder=true df=text}\"" + word + " " + prefix(other) + "*\""),
                "q=*:*&fq=" + escape("{!bool filter=$f1 filter=$f2}") + "&f1=text:" + word + "&f2=even_b:true",
                "q=*:*&fq=" + escape("filter({!term f=words_ss v=$o}) AND year_i:[$y TO *]".replace("$y", "1998"))
                        + "&o=" + other));
    }

    /** Prefix of sufficient length: a shorter one has more words than Solr permits in a phrase. */
    private String prefix(String word) {
        return (word.length() < PREFIX ? queries.longWord() : word).substring(0, PREFIX);
    }

    private String tagged() {
        return "&fq=" + escape("{!tag=t}year_i:[" + any(List.of(1997, 2001)) + " TO *]") + "&fq="
                + escape("{!tag=u,w}even_b:" + random.nextBoolean());
    }

    private String excluding() {
        String ex = any(List.of("ex=t", "ex=t,u", "ex=w", "ex=none"));
        String count = any(List.of("", "&facet.mincount=1", "&facet.limit=4"));
        return count
                + switch (random.nextInt(5)) {
                    case 0 -> "&facet.field=" + escape("{!" + ex + " key=k}" + any(MANY)) + "&facet.field=even_b";
                    case 1 ->
                        "&facet.query=" + escape("{!" + ex + " key='a key'}text:" + queries.word()) + "&facet.query="
                                + escape("{!tag=q key=b}{!frange l=300}length_l");
                    case 2 ->
                        "&facet.range=" + escape("{!" + ex + " key=r facet.range.gap=4}year_i")
                                + "&facet.range.start=1996&facet.range.end=2008&facet.range.gap=1";
                    case 3 ->
                        "&facet.pivot="
                                + escape("{!" + ex + (count.endsWith("4") ? "}" : " key=p}") + any(FEW) + ",part_s")
                                + (count.endsWith("4") ? "" : "&facet.limit=-1");
                    default ->
                        "&facet.field="
                                + escape("{!" + ex + " key=k facet.prefix="
                                        + queries.word().charAt(0) + "}first_s")
                                + "&facet.interval=" + escape("{!" + ex + " key=i}length_l")
                                + "&facet.interval.set=" + escape("{!key=short}[0,300)") + "&facet.interval.set="
                                + escape("[300,*]");
                };
    }

    private String facets() {
        return "{a:" + facet(2, false) + ",b:" + facet(1, false) + ",n:'" + any(WHOLE) + "'}";
    }

    /** Nested facets. Inside a terms facet, a domain only narrows the set of documents. */
    private String facet(int depth, boolean inTerms) {
        int kind = random.nextInt(5);
        String inner = depth == 0 ? "" : ",y:" + facet(depth - 1, inTerms || kind > 1);
        String rest = (inTerms ? any(NARROWER).replace("WORD", queries.word()) : domain()) + ",facet:{x:'" + any(WHOLE)
                + "'" + inner + "}}";
        return switch (kind) {
            case 0 ->
                "{type:range,field:year_i,start:1996,end:2008,gap:3,mincount:" + random.nextInt(3) + ",other:"
                        + any(List.of("all", "none", "[before,after]")) + rest;
            case 1 -> "{type:query,q:'text:" + queries.word() + "'" + rest;
            case 2 ->
                "{type:" + any(List.of("terms", "field"))
                        + any(List.of(",field:year_i,numBuckets:true", ",field:even_b,mincount:" + (inTerms ? 1 : 0)))
                        + ",allBuckets:true,missing:" + random.nextBoolean() + rest;
            default ->
                "{type:terms,field:" + any(MANY) + ",limit:" + any(List.of(1, 3, 11)) + ",offset:" + random.nextInt(3)
                        + ",missing:" + random.nextBoolean() + ",sort:"
                        + any(List.of("'x desc'", "{x:asc}", "index", "'count asc'", "'index desc'", "{count:desc}"))
                        + rest;
        };
    }

    private String domain() {
        return any(random.nextBoolean() ? NARROWER : WIDER).replace("WORD", queries.word());
    }

    private String json() {
        String word = queries.word();
        return "json="
                + escape(any(List.of(
                        "{query:'text:" + word + "',filter:'even_b:true',sort:'" + any(SORTS)
                                + "',fields:[id,'year_*'],limit:6}",
                        "{query:{bool:{must:[{field:{f:text,query:" + word
                                + "}}],must_not:'even_b:true'}},sort:'id asc',fields:id}",
                        "{query:'{!bool must=$a should=$b}',queries:{a:'text:" + word
                                + "',b:'year_i:1999'},sort:'year_i asc,id asc',fields:id,offset:2}",
                        "{query:{'#here':{edismax:{qf:text,query:" + word
                                + "}}},sort:'id"
                                + " desc',fields:id,facet:{y:{terms:{field:year_i,domain:{excludeTags:here}}}}}",
                        "{params:{q:'text:$w',df:title,rows:3,sort:'id asc',facet:true,'facet.field':year_i}}"
                                .replace("$w", word),
                        "{query:'*:*',filter:[{'#t':'year_i:[1999 TO *]'}],limit:0,facet:" + facets() + "}")));
    }

    private String statistics() {
        String ex = any(List.of("", "ex=t ", "ex=t,u "));
        return "&stats.field=" + escape("{!" + ex + "key=k tag=s min=true max=true count=true missing=true}length_l")
                + "&stats.field=" + escape("{!" + ex + "key=f func}sum(year_i,$n)") + "&n=2&stats.field="
                + escape("{!tag=s sum=true sumOfSquares=true mean=true}year_i")
                + any(List.of(
                        "",
                        "&facet=true&facet.pivot=" + escape("{!stats=s}even_b,year_i"),
                        "&stats.field=" + escape("{!countDistinct=true min=true max=true}first_s"),
                        "&stats.field=" + escape("{!key=d distinctValues=true}year_i")));
    }

    private static String escape(String text) {
        return SearchQueryGenerator.escape(text);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
