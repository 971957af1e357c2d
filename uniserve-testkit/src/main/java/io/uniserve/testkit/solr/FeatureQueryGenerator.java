package io.uniserve.testkit.solr;

import java.util.List;
import java.util.Random;

/** Generator of queries with features beyond the search itself: facets, statistics, groups, highlights, functions, pages. */
public final class FeatureQueryGenerator {
    private static final int KINDS = 18;
    private static final List<String> STRINGS = List.of("first_s", "words_ss", "year_i", "even_b");
    private static final List<String> NUMBERS = List.of("year_i", "length_l", "ratio_d", "share_f");
    private static final List<String> FUNCTIONS = List.of(
            "sum(year_i,length_l)",
            "div(length_l,10)",
            "if(even_b,ratio_d,share_f)",
            "abs(sub(year_i,2001))",
            "max(ratio_d,3)");

    private final Random random;
    private final SearchQueryGenerator queries;
    private final ParameterQueryGenerator parameters;

    /** Generator with this source of randomness. */
    public FeatureQueryGenerator(Random random, SearchQueryGenerator queries) {
        this.random = random;
        this.queries = queries;
        this.parameters = new ParameterQueryGenerator(random, queries);
    }

    /** Query for the first document of each part, for a table with key {@link CorpusDocumentFactory#PART}. */
    public String collapsed() {
        return parameters.collapsed();
    }

    /** Whole query. Kinds alternate by turn. */
    public String next(int turn) {
        int kind = turn % (KINDS + ParameterQueryGenerator.KINDS);
        if (kind >= KINDS) {
            return parameters.next(kind - KINDS);
        }
        String query = "q=" + SearchQueryGenerator.escape(queries.main());
        return switch (kind) {
            case 0, 1 -> queries.next();
            case 2, 14, 15, 16, 17 -> byScore(query);
            case 3 ->
                query + "&rows=0&facet=true&facet.query=" + SearchQueryGenerator.escape("text:" + queries.word())
                        + ranges();
            case 4 -> query + "&rows=0&facet=true" + pivot();
            case 5, 6, 7 ->
                query + "&rows=0&json.facet="
                        + SearchQueryGenerator.escape("{f:" + json(2) + ",n:'" + aggregate() + "'}");
            case 8 -> query + "&rows=1&sort=id asc&stats=true" + stats();
            case 9, 10 -> query + "&sort=" + sort() + group();
            case 11 -> query + "&fl=id&rows=8&sort=" + sort() + highlight();
            case 12 ->
                query + "&rows=20&sort=" + SearchQueryGenerator.escape(any(FUNCTIONS) + " desc") + "&fl="
                        + SearchQueryGenerator.escape("id,a:" + any(FUNCTIONS) + ",b:year_i,c:[value v=7 t=int]");
            default ->
                query + "&rows=0&facet=true&facet.missing=" + random.nextBoolean() + "&facet.field="
                        + SearchQueryGenerator.escape("{!key=k ex=t}" + any(STRINGS)) + "&facet.limit="
                        + any(List.of(2, 7))
                        + "&fq="
                        + SearchQueryGenerator.escape("{!tag=t}year_i:[1999 TO *]")
                        + any(List.of("", "&facet.mincount=2"));
        };
    }

    /** Query by score. It returns the scores, and uses the statistics of all documents. */
    private String byScore(String query) {
        String word = queries.word();
        String text = word + " " + queries.word() + " " + queries.word();
        String phrase = queries.phrase();
        String scored = any(List.of(
                "q=" + text,
                "q=" + SearchQueryGenerator.escape("-text:" + word + " -title:" + queries.word()),
                "q=" + SearchQueryGenerator.escape("text:\"" + phrase + "\"~3^2.5 OR title:" + word + "^0.3"),
                "q=" + SearchQueryGenerator.escape("+text:(" + text + ")^1.7 -title:the text:\"" + phrase + "\""),
                "q="
                        + SearchQueryGenerator.escape(
                                "text:(" + text + ") (title:" + word + " text:" + queries.word() + "*)^3"),
                "q="
                        + SearchQueryGenerator.escape(
                                "(+text:" + word + " +text:" + queries.word() + ") text:(" + text + ")"),
                "q=" + SearchQueryGenerator.escape("{!maxscore tie=0.3}text:" + word + " title:" + queries.word()),
                "q=" + SearchQueryGenerator.escape("{!boost b=div(length_l,7)}text:(" + text + ")"),
                "q=" + SearchQueryGenerator.escape("{!dismax qf='text^3 title' pf=text tie=0.1 mm=1}" + text),
                "q=" + SearchQueryGenerator.escape("{!bool must=$must should=$should}") + "&must=text:" + word
                        + "&should=" + SearchQueryGenerator.escape("text:\"" + phrase + "\""),
                "defType=edismax&q=" + text + "&qf=text^2 title&pf=text^3&tie=0.2&mm=1",
                "defType=edismax&q=" + text + "&qf=text title&pf2=text^2&pf3=text^4&ps=2&mm="
                        + SearchQueryGenerator.escape(any(List.of("1", "2<75%", "67%"))),
                "defType=edismax&q=" + SearchQueryGenerator.escape("\"" + phrase + "\" " + word)
                        + "&qf=text title^0.5&qs=2&mm=1",
                "defType=edismax&q=" + text + "&qf=text&bq=" + SearchQueryGenerator.escape("even_b:true^2")
                        + "&bf=log(length_l)",
                "defType=edismax&q=" + text + "&qf=title text&bq="
                        + SearchQueryGenerator.escape("text:" + queries.word() + "^4") + "&bq="
                        + SearchQueryGenerator.escape("year_i:[1998 TO 2001]^1.5") + "&mm=1",
                "defType=dismax&q=" + text + "&qf=text&mm=1",
                "defType=edismax&q=" + text + "&qf=text&boost=" + SearchQueryGenerator.escape("div(year_i,2000)")
                        + "&boost=" + SearchQueryGenerator.escape("if(even_b,1.5,1)"),
                query.endsWith("%7E1") ? "q=" + text : query));
        return scored + "&distrib.statsCache=true&fl=id,score&rows=" + any(List.of(5, 30))
                + any(List.of("", "", "&start=3", "&sort=year_i desc,score desc,id asc", "&fq=even_b:true"));
    }

    private String ranges() {
        return any(List.of(
                "&facet.range=year_i&facet.range.start=1996&facet.range.end=2008&facet.range.gap=3&facet.range.other=all",
                "&facet.range=length_l&facet.range.start=0&facet.range.end=1000&facet.range.gap=150",
                "&facet.range=date_dt&facet.range.start=1999-01-01T00:00:00Z&facet.range.end=2004-01-01T00:00:00Z"
                        + "&facet.range.gap=%2B6MONTHS&facet.range.include=edge",
                "&facet.interval=length_l&f.length_l.facet.interval.set=" + SearchQueryGenerator.escape("[0,300)")
                        + "&f.length_l.facet.interval.set=" + SearchQueryGenerator.escape("[300,*]")));
    }

    private String pivot() {
        return "&facet.pivot=" + any(List.of("year_i,even_b", "first_s,year_i", "even_b,words_ss,year_i"))
                + "&facet.limit=" + any(List.of(1, 3, 20))
                + any(List.of(
                        "&facet.pivot.mincount=1",
                        "&facet.pivot.mincount=2",
                        "&facet.pivot.mincount=3",
                        "&facet.missing=true",
                        "&facet.offset=1",
                        "&facet.sort=index"));
    }

    private String json(int depth) {
        String nested = depth == 0
                ? ""
                : ",facet:{x:'" + aggregate() + "'" + (random.nextBoolean() ? ",y:" + json(depth - 1) : "") + "}";
        return switch (random.nextInt(4)) {
            case 0 -> "{type:range,field:year_i,start:1996,end:2008,gap:" + any(List.of(2, 5)) + nested + "}";
            case 1 -> "{type:query,q:'text:" + queries.word() + "'" + nested + "}";
            default ->
                "{type:terms,field:" + any(STRINGS) + ",limit:" + any(List.of(1, 4, 15)) + ",mincount:"
                        + any(List.of(1, 2))
                        + (depth > 0 && random.nextBoolean()
                                ? ",sort:'" + any(List.of("count asc", "index desc")) + "'"
                                : "")
                        + nested + "}";
        };
    }

    private String aggregate() {
        return any(List.of("sum", "avg", "min", "max", "sumsq", "variance", "stddev"))
                .concat("(" + any(NUMBERS) + ")");
    }

    private String stats() {
        StringBuilder stats = new StringBuilder();
        for (String field : NUMBERS) {
            stats.append("&stats.field=").append(field);
        }
        return stats + "&stats.field=" + SearchQueryGenerator.escape("{!countDistinct=true cardinality=true}first_s");
    }

    private String sort() {
        return any(List.of("year_i desc", "length_l asc", "ratio_d desc,id desc", "date_dt asc", "id asc"));
    }

    private String group() {
        return "&group=true&fl=id&rows=" + any(List.of(3, 10)) + "&group.limit=" + any(List.of(1, 3)) + "&group.sort="
                + sort()
                + any(List.of(
                        "&group.field=year_i&group.ngroups=true",
                        "&group.field=first_s&group.ngroups=true",
                        "&group.field=even_b&group.field=year_i",
                        "&group.query=" + SearchQueryGenerator.escape("text:" + queries.word())
                                + "&group.query=even_b:true"));
    }

    private String highlight() {
        return "&hl=true&hl.fl=text,title&hl.snippets=" + any(List.of(1, 3)) + "&hl.method="
                + any(List.of("unified", "original"))
                + any(List.of("", "&hl.tag.pre=<b>&hl.tag.post=</b>", "&hl.fragsize=60"));
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
