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
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Corpus of short English texts: glosses of WordNet and entries of the GCIDE dictionary, if their Debian packages are installed. */
public final class DictionaryCorpus {
    private static final Path GCIDE = Path.of("/usr/share/dictd/gcide.dict.dz");
    private static final Path WORDNET = Path.of("/usr/share/wordnet/data.noun");

    private DictionaryCorpus() {}

    /** At most this many documents, half of them glosses; empty if the packages dict-gcide and wordnet-base are not installed. */
    public static List<Document> documents(int count) {
        if (!Files.isReadable(GCIDE) || !Files.isReadable(WORDNET)) {
            return List.of();
        }
        List<Document> documents = new ArrayList<>();
        try (BufferedReader glosses = Files.newBufferedReader(WORDNET, StandardCharsets.UTF_8);
                BufferedReader entries = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(GCIDE)), StandardCharsets.UTF_8))) {
            glosses.lines()
                    .filter(line -> line.contains(" | "))
                    .limit(count / 2)
                    .forEach(line -> add(documents, line.split(" ")[4], line.substring(line.indexOf(" | ") + 3)));
            StringBuilder entry = new StringBuilder();
            for (String line = entries.readLine();
                    line != null && documents.size() < count;
                    line = entries.readLine()) {
                if (line.startsWith(" ") || entry.isEmpty()) {
                    entry.append(line.strip()).append(' ');
                } else {
                    add(documents, "entry " + documents.size() % 100, entry.toString());
                    entry.setLength(0);
                }
            }
            return documents;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(List<Document> documents, String title, String text) {
        int number = documents.size();
        if (text.split("[^a-z]+").length > 4) {
            String day = "%d-%02d-%02d".formatted(1995 + number % 13, 1 + number % 12, 1 + number % 28);
            documents.add(CorpusDocumentFactory.of("w" + number, number, title, day, text));
        }
    }
}
