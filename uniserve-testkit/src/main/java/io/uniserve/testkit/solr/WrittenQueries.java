package io.uniserve.testkit.solr;

import io.uniserve.api.extra.PackedFiles;
import java.util.List;
import java.util.stream.Stream;

/** Queries written by hand, each as a user gives it. */
public final class WrittenQueries {
    private WrittenQueries() {}

    /** Of every feature, about the documents of any corpus that {@link CorpusDocument} makes; one is the empty query. */
    public static List<String> ofCorpora() {
        return lines("corpus-queries.txt").toList();
    }

    /** Of every name that the manual says is supported, about {@link FeatureDocuments}. */
    public static List<String> ofFeatures() {
        return lines("feature-queries.txt")
                .filter(line -> !line.isBlank())
                .map(line -> line.replace("@ids", "&sort=id asc&fl=id&rows=400")
                        .replace("@scores", "&distrib.statsCache=true&fl=id,score&rows=60"))
                .toList();
    }

    private static Stream<String> lines(String file) {
        return PackedFiles.resource(WrittenQueries.class, file).lines().filter(line -> !line.startsWith("# "));
    }
}
