package io.uniserve.testkit.solr;

import io.uniserve.api.Document;
import io.uniserve.api.extra.PackedFilesCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Corpus of fixed documents with fields of every kind, for a table with its own configset. It has types that the default schema lacks, such
 * as places, areas, payloads, term vectors, offsets, synonyms, stop words, enumerations and currencies.
 */
public final class FeatureCorpus {
    private static final int DOCUMENTS = 400;
    private static final List<String> WORDS = List.of(
            "river law water fish council market ship energy budget treaty forest safety report member".split(" "));

    private FeatureCorpus() {}

    /** Files of the configset, by name: the port's default schema with more fields, and the files that these refer to. */
    public static Map<String, String> configset(String defaultSchema) {
        String fields = PackedFilesCodec.readResource(FeatureCorpus.class, "feature-fields.xml");
        return Map.of(
                "schema.xml",
                defaultSchema.replace("</schema>", fields),
                "lang/stop.txt",
                "the\nof\nand\n",
                "synonyms.txt",
                "vessel,ship\nfresh water,river\n",
                "enums.xml",
                "<enumsConfig><enum name=\"severity\"><value>low</value><value>middle</value><value>high</value>"
                        + "</enum></enumsConfig>",
                "currency.xml",
                "<currencyConfig><rates><rate from=\"USD\" to=\"EUR\" rate=\"0.8\"/></rates></currencyConfig>");
    }

    /** All documents, in the order of their ids. */
    public static List<Document> all() {
        Random random = new Random(7);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(document(random, i));
        }
        return documents;
    }

    private static Document document(Random random, int i) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("id", "f%03d".formatted(i));
        fields.put("title", words(random, 2 + i % 3));
        fields.put("text", "The " + words(random, 6 + i % 30) + ". " + words(random, 5 + i % 11) + ".");
        fields.put("kind_s", "Kind" + random.nextInt(9));
        fields.put("tags_ss", List.of("tag" + random.nextInt(140), "tag" + random.nextInt(5), "other"));
        fields.put("year_i", 1990L + random.nextInt(25));
        fields.put("nums_is", List.of((long) random.nextInt(30), 100L + random.nextInt(5)));
        fields.put("price_d", Math.round(random.nextDouble() * 4_000) / 4.0);
        fields.put("even_b", i % 2 == 0);
        fields.put("at_dt", "20%02d-%02d-%02dT%02d:30:00Z".formatted(i % 9, 1 + i % 12, 1 + i % 28, i % 24));
        fields.put("at_v2", List.of(Math.cos(i), Math.sin(i)));
        fields.put("place_p", "%s,%s".formatted(40 + random.nextInt(200) / 16.0, random.nextInt(400) / 16.0));
        fields.put("area_rpt", "%s,%s".formatted(40 + random.nextInt(200) / 16.0, random.nextInt(400) / 16.0));
        fields.put("days_dr", "[20%02d-%02d TO 2012]".formatted(i % 9, 1 + i % 12));
        fields.put("weights_w", "one|%d.5 two|%d.0 three|1.0".formatted(i % 7, i % 5));
        fields.put("grade", List.of("low", "middle", "high").get(random.nextInt(3)));
        fields.put("grades", List.of("low", i % 7 == 0 ? "high" : "middle"));
        fields.put("cost_c", "%d.50,%s".formatted(i % 90, i % 3 == 0 ? "EUR" : "USD"));
        if (i % 4 != 0) {
            fields.put("some_s", "some" + random.nextInt(3));
            fields.put("some_i", (long) random.nextInt(50));
        }
        return new Document("id", fields);
    }

    /** Random words, with higher frequency for earlier ones. */
    private static String words(Random random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int at = Math.min(random.nextInt(WORDS.size()), random.nextInt(WORDS.size()));
            text.append(i == 0 ? "" : random.nextInt(6) == 0 ? " of the " : " ").append(WORDS.get(at));
        }
        return text.toString();
    }
}
