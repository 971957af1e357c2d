package io.uniserve.testkit.solr;

import io.uniserve.api.extra.PackedFilesCodec;
import java.util.List;
import java.util.stream.Stream;

/** Queries written by hand, in the form that a user sends. */
public final class HandWrittenQueries {
    private HandWrittenQueries() {}

    /** Queries of every feature, for the documents of any corpus of {@link CorpusDocumentFactory}. One is empty. */
    public static List<String> ofCorpora() {
        return lines("corpus-queries.txt").toList();
    }

    /** Queries with every name that the manual lists as supported, for {@link FeatureCorpus}. */
    public static List<String> ofFeatures() {
        return lines("feature-queries.txt")
                .filter(line -> !line.isBlank())
                .map(line -> line.replace("@ids", "&sort=id asc&fl=id&rows=400")
                        .replace("@scores", "&distrib.statsCache=true&fl=id,score&rows=60"))
                .toList();
    }

    private static Stream<String> lines(String file) {
        return PackedFilesCodec.readResource(HandWrittenQueries.class, file)
                .lines()
                .filter(line -> !line.startsWith("# "));
    }
}
