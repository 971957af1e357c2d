package io.uniserve.benchmark.text;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Query with the same text for both sides. Ties are broken by id, so that there is one correct answer. */
record TextQuery(String name, String parameters) {
    private static final String PAGE = "&fl=id,topic_s,text,score&sort=score+desc,id+asc&rows=10&omitHeader=true";
    private static final String FACET = "&rows=0&facet=true&facet.field=topic_s&facet.mincount=1&omitHeader=true";
    private static final String FACET_TOP = FACET + "&facet.limit=10";
    /** A facet of all terms: with a limit SolrCloud may miss a term that is in no shard's top list. */
    private static final String FACET_ALL = FACET + "&facet.limit=-1";

    private static final String SORTED =
            "&fl=id,topic_s,length_i&sort=length_i+desc,id+asc&start=100&rows=10&omitHeader=true";

    /** The measured queries: the two queries of the papers, a facet and a sorted page. */
    static final List<TextQuery> MEASURED = List.of(
            sorted("phrase \"is also\"", "text:\"is also\"", PAGE),
            sorted("sloppy \"of the\"~4", "text:\"of the\"~4", PAGE),
            sorted("facet of \"water\"", "text:water", FACET_TOP),
            sorted("sorted page of \"the\"", "text:the", SORTED));

    /** Returns the measured queries whose names contain one of these words; all if there are no words. */
    static List<TextQuery> measured(List<String> words) {
        return MEASURED.stream()
                .filter(query -> words.isEmpty() || words.stream().anyMatch(query.name()::contains))
                .toList();
    }

    /** Returns queries that are only compared: two or three words of a random document, in each of the four kinds. */
    static List<TextQuery> generated(TextCorpus corpus, long seed, int count) {
        Random random = new Random(seed);
        List<TextQuery> queries = new ArrayList<>();
        while (queries.size() < count) {
            TextDocument document =
                    corpus.documents().get(random.nextInt(corpus.documents().size()));
            List<String> words = Stream.of(document.text().split("[^\\p{L}]+"))
                    .filter(word -> !word.isEmpty())
                    .toList();
            if (words.size() < 2) {
                continue;
            }
            int from = random.nextInt(words.size() - 1);
            int to = Math.min(words.size(), from + 2 + random.nextInt(2));
            String phrase = "\"" + String.join(" ", words.subList(from, to)) + "\"";
            String name = "generated " + queries.size();
            queries.add(
                    switch (queries.size() % 4) {
                        case 0 -> sorted(name, "text:" + phrase, PAGE);
                        case 1 -> sorted(name, "text:" + phrase + "~" + random.nextInt(6), PAGE);
                        case 2 -> sorted(name, "text:(\"" + words.get(from) + "\" OR " + phrase + ")", FACET_ALL);
                        default -> sorted(name, "text:\"" + words.get(from) + "\"", SORTED);
                    });
        }
        return queries;
    }

    private static TextQuery sorted(String name, String query, String rest) {
        return new TextQuery(name, "q=" + URLEncoder.encode(query, StandardCharsets.UTF_8) + rest);
    }
}
