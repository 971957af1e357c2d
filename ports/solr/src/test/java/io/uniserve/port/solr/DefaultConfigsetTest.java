package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Solr's configset {@code _default}: a schema with all of its kinds of fields and analyzers, and, if {@code
 * -Duniserve.solr.configset=FOLDER} is set, the one of a Solr installation, unchanged.
 */
class DefaultConfigsetTest {
    private final SolrEngine engine = new SolrEngine();

    @TempDir
    private Path directory;

    static List<String> configsets() {
        String folder = System.getProperty("uniserve.solr.configset", "");
        return folder.isEmpty() ? List.of("own") : List.of("own", folder);
    }

    /** Returns the files by name, the schema as {@code schema.xml}, without Solr's configuration of cores. */
    private static Map<String, String> files(String which) throws IOException {
        if (which.equals("own")) {
            return own();
        }
        Map<String, String> files = new TreeMap<>();
        Path folder = Path.of(which);
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(file).toString(), Files.readString(file));
            }
        }
        files.remove("solrconfig.xml");
        String schema = files.remove("managed-schema.xml");
        files.put("schema.xml", schema == null ? "" : schema);
        return files;
    }

    private static Map<String, String> own() {
        StringBuilder schema = new StringBuilder("<schema name=\"like\" version=\"1.6\"><uniqueKey>id</uniqueKey>");
        PackedFilesCodec.readResource(DefaultConfigsetTest.class, "analyzers.txt")
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" \\| "))
                .forEach(cells -> {
                    String filters = Stream.of(cells[2].split(" "))
                            .map(filter -> element("filter", filter))
                            .collect(Collectors.joining());
                    schema.append("""
                        <dynamicField name="*_txt_%1$s" type="text_%1$s" stored="true"/>
                        <fieldType name="text_%1$s" class="solr.TextField"><analyzer>%2$s%3$s</analyzer></fieldType>
                        """.formatted(cells[0], element("tokenizer", cells[1]), filters));
                });
        schema.append("""
            <fieldType name="string" class="solr.StrField" sortMissingLast="true" docValues="true"/>
            <fieldType name="plong" class="solr.LongPointField" docValues="true"/>
            <fieldType name="pint" class="solr.IntPointField" docValues="true"/>
            <fieldType name="pdouble" class="solr.DoublePointField" docValues="true"/>
            <fieldType name="random" class="solr.RandomSortField" indexed="true"/>
            <fieldType name="ignored" class="solr.StrField" stored="false" indexed="false" multiValued="true"/>
            <fieldType name="binary" class="solr.BinaryField"/>
            <fieldType name="rank" class="solr.RankField"/>
            <fieldType name="point" class="solr.PointType" dimension="2" subFieldSuffix="_d"/>
            <fieldType name="location" class="solr.LatLonPointSpatialField" docValues="true"/>
            <fieldType name="location_rpt" class="solr.SpatialRecursivePrefixTreeFieldType" geo="true"
              distErrPct="0.025" maxDistErr="0.001" distanceUnits="kilometers"/>
            <fieldType name="nest" class="solr.NestPathField"/>
            <fieldType name="sorted" class="solr.SortableTextField"><analyzer><tokenizer name="standard"/>
              <filter name="synonymGraph" synonyms="synonyms.txt"/></analyzer></fieldType>
            <field name="id" type="string" required="true"/>
            <field name="_version_" type="plong" indexed="false" stored="false"/>
            <field name="_root_" type="string" stored="false" docValues="false"/>
            <field name="_nest_path_" type="nest"/>
            <field name="_text_" type="text_en" stored="false" multiValued="true"/>
            <dynamicField name="*_s" type="string"/><dynamicField name="*_i" type="pint"/>
            <dynamicField name="*_d" type="pdouble"/><dynamicField name="*_p" type="location"/>
            <dynamicField name="*_srpt" type="location_rpt"/><dynamicField name="*_point" type="point"/>
            <dynamicField name="*_phon_en" type="text_phonetic" stored="true"/>
            <dynamicField name="*_t_sort" type="sorted"/><dynamicField name="random_*" type="random"/>
            <dynamicField name="ignored_*" type="ignored"/></schema>\
            """);
        return Map.of(
                "schema.xml",
                schema.toString(),
                "stop.txt",
                "the\nl\n",
                "snow.txt",
                "og | and\n",
                "synonyms.txt",
                "vessel,ship\n",
                "tags.txt",
                "\u52a9\u8a5e\n",
                "overrides.txt",
                "fiets\tfiets\n");
    }

    /** Converts {@code name(option=value,...)} to an element of a schema. */
    private static String element(String kind, String text) {
        String[] parts = text.replace(")", "").split("\\(");
        String options = parts.length < 2 ? "" : " " + parts[1].replaceAll("(\\w+)=([^,]*),?", "$1=\"$2\" ");
        return "<" + kind + " name=\"" + parts[0] + "\"" + options + "/>";
    }

    private TableMeta table(Map<String, String> files) {
        try {
            Path conf = Files.createDirectories(LocalTable.fresh(directory).resolve("conf"));
            PlainCore.write(conf, files);
            return LocalTable.meta(3, "id", Map.of("configset", PackedFilesCodec.pack(conf, any -> true)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Document row(int i, Object number, List<String> text) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("id", "d%02d".formatted(i));
        fields.put("n_i", number);
        if (!(number instanceof Map)) {
            fields.put("_text_", text);
            fields.put("name_s", "name" + i % 4);
            fields.put(
                    "a_txt_ja",
                    i % 3 == 0 ? "\u65e5\u672c\u7d4c\u6e08\u65b0\u805e" : "\u5bff\u53f8\u304c\u98df\u3079\u305f\u3044");
            fields.put(
                    "a_txt_ko",
                    i % 3 == 0
                            ? "\ud55c\uad6d\uc740 \ub300\ub2e8\ud55c \ub098\ub77c"
                            : "\uac00\uac70\ub3c4\uc6b4\ud56d");
            fields.put("who_phon_en", i % 2 == 0 ? "Smith" : "Jones");
            fields.put("a_txt_en", "running vessels number " + i);
            fields.put("at_p", "%d.5,%d.25".formatted(40 + i % 9, i % 11));
            fields.put("a_t_sort", "words " + (50 - i));
        }
        return new Document("id", fields);
    }

    @ParameterizedTest
    @MethodSource("configsets")
    void isTakenAndAnswersAsOneCore(String which) throws Exception {
        Map<String, String> files = files(which);
        TableMeta meta = table(files);
        engine.validate(meta);
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            rows.add(row(i, (long) i, List.of(i % 2 == 0 ? "rivers" : "the law", "both")));
        }
        try (EngineInstance instance = LocalTable.open(engine, directory);
                PlainCore plain = PlainCore.of(directory, files, rows)) {
            LocalTable split = new LocalTable(engine, instance, directory, meta);
            split.add(rows);
            same(plain, split);
            // An atomic update of fields reads the other stored fields; fields that are not stored, such as _text_, are
            // lost, as in Solr.
            split.add(List.of(row(3, Map.of("inc", 100L), List.of()), row(4, Map.of("set", 7L), List.of())));
            split.delete(List.of(new Document("id", Map.of("id", "d05"))));
            plain.add(List.of(row(3, 103L, List.of()), row(4, 7L, List.of())));
            plain.delete(List.of("d05"));
            same(plain, split);
            split.restart(1);
            same(plain, split);
            assertThatThrownBy(() -> split.add(List.of(new Document("id", Map.of("id", "x", "guessed", "a")))))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                    .hasMessageContaining("\"guessed\" is not in the schema");
            assertThatThrownBy(() -> split.add(List.of(new Document("id", Map.of("id", "d01", "_version_", -1L)))))
                    .hasMessageContaining("version conflict for \"d01\" expected=-1");
        }
    }

    private static void same(PlainCore plain, LocalTable split) {
        for (String query : List.of(
                "q=river",
                "q=the both",
                "q=rivers law&defType=edismax&mm=1",
                "q=a_txt_ja:\u7d4c\u6e08",
                "q=a_txt_ja:\u98df\u3079\u308b",
                "q=a_txt_ko:\ud55c\uad6d",
                "q=a_txt_ko:\uacf5\ud56d",
                "q=who_phon_en:Smyth",
                "q=a_txt_en:run",
                "q={!geofilt sfield=at_p pt=41,3 d=300}",
                "q=*:*&facet=true&facet.field=name_s",
                "q=a_txt_ja:\u65b0\u805e&hl=true&hl.fl=a_txt_ja")) {
            String page = query + "&rows=50&fl=id,n_i,name_s,a_txt_ja&sort=n_i desc,id asc";
            SingleCore.assertSame(page, plain.query(page + "&df=_text_"), split.query(page));
        }
        assertThat(SingleCore.found(split.query("q=a_txt_ja:\u7d4c\u6e08"))).isBetween(10L, 20L);
        assertThat(SingleCore.found(split.query("q=who_phon_en:Smyth"))).isBetween(15L, 20L);
        String sorted = "q=*:*&rows=9&fl=id&sort=a_t_sort asc,id asc";
        SingleCore.assertSame(sorted, plain.query(sorted), split.query(sorted));
    }
}
