package io.uniserve.benchmark.demo;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Inverted index of words, built without a search engine, as an independent check of answers. It has only words on which a coarse and a
 * fine tokenization agree. So every tokenizer between both, such as that of a search engine, finds the same documents.
 */
final class WordIndex {
    private static final Pattern FINE = Pattern.compile("[^\\p{L}\\p{N}]+");
    private static final Pattern COARSE = Pattern.compile("\\s+");
    private static final Pattern EDGES = Pattern.compile("^[^\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+$");
    private static final Pattern PLAIN = Pattern.compile("[a-z]{4,14}");

    private final Map<String, Positions> documentsByWord;

    private WordIndex(Map<String, Positions> documentsByWord) {
        this.documentsByWord = documentsByWord;
    }

    static WordIndex of(List<EuroparlDocument> documents) {
        Map<String, Positions> fine = new TreeMap<>();
        Map<String, Positions> coarse = new TreeMap<>();
        for (int i = 0; i < documents.size(); i++) {
            String text = documents.get(i).text();
            for (String word : FINE.split(text)) {
                add(fine, word, i);
            }
            for (String word : COARSE.split(text)) {
                add(coarse, EDGES.matcher(word).replaceAll(""), i);
            }
        }
        fine.entrySet()
                .removeIf(entry -> !entry.getValue().isEqualTo(coarse.getOrDefault(entry.getKey(), new Positions())));
        return new WordIndex(fine);
    }

    private static void add(Map<String, Positions> index, String word, int document) {
        String lower = word.toLowerCase(Locale.ROOT);
        if (PLAIN.matcher(lower).matches()) {
            index.computeIfAbsent(lower, unused -> new Positions()).add(document);
        }
    }

    /** Returns the sorted words that occur in this many documents. */
    List<String> words(int documentsMin, int documentsMax) {
        return documentsByWord.entrySet().stream()
                .filter(entry -> entry.getValue().count >= documentsMin && entry.getValue().count <= documentsMax)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the documents with the word, as positions in the corpus. */
    BitSet documents(String word) {
        BitSet set = new BitSet();
        Positions places = documentsByWord.get(word);
        for (int i = 0; places != null && i < places.count; i++) {
            set.set(places.values[i]);
        }
        return set;
    }

    /** Distinct positions in the corpus, ascending; compact, because there are very many words. */
    private static final class Positions {
        private int[] values = new int[2];
        private int count;

        void add(int place) {
            if (count > 0 && values[count - 1] == place) {
                return;
            }
            if (count == values.length) {
                values = Arrays.copyOf(values, count * 2);
            }
            values[count++] = place;
        }

        boolean isEqualTo(Positions other) {
            return Arrays.equals(values, 0, count, other.values, 0, other.count);
        }
    }
}
