package io.uniserve.runtime.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggestion of a key for a misspelt one. */
final class KeySuggester {
    private KeySuggester() {}

    /** Returns the candidate with the smallest edit distance to the key; empty if even that one is too different. */
    static Optional<String> nearest(String key, Collection<String> candidates) {
        return candidates.stream()
                .min(Comparator.comparingInt((String candidate) -> distance(key, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(candidate ->
                        distance(key, candidate) <= Math.max(2, lastPart(key).length() / 2 + 1));
    }

    private static String lastPart(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    /** Levenshtein distance. */
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
