package io.uniserve.testkit.solr;

import io.uniserve.api.Document;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Factory of documents from texts, for a table of the default configset, with derived fields of every type. */
public final class CorpusDocumentFactory {
    /** Text field that every document has. */
    public static final String PART = "part_s";

    static final int PARTS = 37;

    private CorpusDocumentFactory() {}

    /** Document with fields of every type. */
    public static Document of(String id, int number, String title, String day, String text) {
        List<String> words = Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^\\p{L}]+"))
                .filter(word -> !word.isEmpty())
                .toList();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("title", title);
        fields.put("text", text);
        fields.put("date_dt", day + "T00:00:00Z");
        fields.put("year_i", Long.parseLong(day.substring(0, 4)));
        fields.put("length_l", (long) text.length());
        fields.put("ratio_d", words.size() / 7.0);
        fields.put("share_f", words.size() % 10 / 4.0);
        fields.put("even_b", words.size() % 2 == 0);
        fields.put(PART, "part" + number % PARTS);
        fields.put("at_v2", List.of(Math.cos(number), Math.sin(number)));
        fields.put("words_ss", words.stream().limit(4).distinct().toList());
        if (number % 5 != 0 && !words.isEmpty()) {
            fields.put("first_s", words.get(0));
        }
        return new Document("id", fields);
    }
}
