package io.uniserve.benchmark.demo;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Generator of queries of five kinds. It computes their answers by a scan of the documents. */
public final class DemoQueries {
    private static final int PAGE = 10;
    private static final int WORD_DOCUMENTS_MIN = 20;
    private static final int WORD_DOCUMENTS_MAX = 4_000;

    private final List<EuroparlDocument> documents;
    private final WordIndex index;
    private final List<String> words;
    private final SplittableRandom random;

    /** Generates queries over these documents; the same seed gives the same queries. */
    public DemoQueries(List<EuroparlDocument> documents, long seed) {
        this.documents = documents;
        this.index = WordIndex.of(documents);
        this.words = index.words(Math.min(WORD_DOCUMENTS_MIN, Math.max(1, documents.size() / 100)), WORD_DOCUMENTS_MAX);
        this.random = new SplittableRandom(seed);
    }

    /** Returns this many queries, alternating between the kinds. */
    public List<DemoQuery> make(int count) {
        List<DemoQuery> queries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queries.add(
                    switch (i % 5) {
                        case 0 -> count();
                        case 1 -> sortedPage();
                        case 2 -> bothWords();
                        case 3 -> facet();
                        default -> range();
                    });
        }
        return List.copyOf(queries);
    }

    private String word() {
        return words.get(random.nextInt(words.size()));
    }

    private DemoQuery count() {
        String word = word();
        return new DemoQuery(
                "count", "q=text:" + word + "&rows=0", index.documents(word).cardinality(), List.of(), Map.of());
    }

    private DemoQuery sortedPage() {
        String word = word();
        BitSet found = index.documents(word);
        Comparator<EuroparlDocument> order =
                Comparator.comparingInt(EuroparlDocument::year).reversed().thenComparing(EuroparlDocument::id);
        return new DemoQuery(
                "sorted page",
                "q=text:" + word + "&sort=year_i desc,id asc&fl=id,year_i&rows=" + PAGE,
                found.cardinality(),
                pageIds(found, order, 0),
                Map.of());
    }

    private DemoQuery bothWords() {
        String one = word();
        String two = word();
        BitSet found = index.documents(one);
        found.and(index.documents(two));
        return new DemoQuery(
                "both words",
                "q=text:(" + one + " AND " + two + ")&sort=id asc&fl=id&rows=" + PAGE,
                found.cardinality(),
                pageIds(found, Comparator.comparing(EuroparlDocument::id), 0),
                Map.of());
    }

    private DemoQuery facet() {
        String word = word();
        BitSet found = index.documents(word);
        Map<String, Long> years = new TreeMap<>();
        found.stream()
                .forEach(i -> years.merge(Integer.toString(documents.get(i).year()), 1L, Long::sum));
        return new DemoQuery(
                "facet",
                "q=text:" + word + "&rows=0&facet=true&facet.field=year_i&facet.mincount=1&facet.limit=-1",
                found.cardinality(),
                List.of(),
                years);
    }

    private DemoQuery range() {
        int from = 1996 + random.nextInt(12);
        int to = from + random.nextInt(4);
        int start = random.nextInt(50);
        BitSet found = new BitSet();
        for (int i = 0; i < documents.size(); i++) {
            found.set(i, documents.get(i).year() >= from && documents.get(i).year() <= to);
        }
        return new DemoQuery(
                "range",
                "q=*:*&fq=year_i:[" + from + " TO " + to + "]&sort=id desc&fl=id&start=" + start + "&rows=" + PAGE,
                found.cardinality(),
                pageIds(found, Comparator.comparing(EuroparlDocument::id).reversed(), start),
                Map.of());
    }

    private List<String> pageIds(BitSet found, Comparator<EuroparlDocument> order, int start) {
        return found.stream()
                .mapToObj(documents::get)
                .sorted(order)
                .skip(start)
                .limit(PAGE)
                .map(EuroparlDocument::id)
                .toList();
    }
}
