package io.uniserve.testkit.solr;

import io.uniserve.api.Document;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Corpus of very short English texts: descriptions of Debian packages, if apt has lists of them. */
public final class DebianPackageCorpus {
    private static final Path APT_CACHE = Path.of("/usr/bin/apt-cache");

    private DebianPackageCorpus() {}

    /** Documents of this many packages; empty if apt is missing or has too few. {@code apt-get update} fetches its lists. */
    public static List<Document> documents(int count) {
        if (!Files.isExecutable(APT_CACHE)) {
            return List.of();
        }
        Map<String, Document> documents = new LinkedHashMap<>();
        try {
            Process apt = new ProcessBuilder(APT_CACHE.toString(), "dumpavail")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(apt.getInputStream(), StandardCharsets.UTF_8))) {
                Map<String, String> fields = new HashMap<>();
                for (String line = in.readLine(); line != null && documents.size() < count; line = in.readLine()) {
                    int colon = line.indexOf(": ");
                    if (line.isEmpty()) {
                        add(documents, fields);
                        fields.clear();
                    } else if (colon > 0) {
                        fields.put(line.substring(0, colon), line.substring(colon + 2));
                    }
                }
            } finally {
                apt.destroy();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return documents.size() < count ? List.of() : new ArrayList<>(documents.values());
    }

    private static void add(Map<String, Document> documents, Map<String, String> fields) {
        String name = fields.getOrDefault("Package", "");
        String text = fields.getOrDefault("Description", fields.getOrDefault("Description-en", ""));
        int number = documents.size();
        if (text.split("[^a-z]+").length > 4) {
            String day = "%d-%02d-%02d".formatted(1995 + number % 13, 1 + number % 12, 1 + number % 28);
            String title = "section " + fields.getOrDefault("Section", "none");
            documents.putIfAbsent(name, CorpusDocumentFactory.of("p" + number, number, title, day, name + ": " + text));
        }
    }
}
