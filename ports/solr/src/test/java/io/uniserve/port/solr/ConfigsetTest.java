package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid configsets: each is refused as an error of the user that names the problem. */
class ConfigsetTest {
    private static final String GOOD = """
            <schema name="own" version="1.6"><uniqueKey>id</uniqueKey>
              <fieldType name="string" class="solr.StrField" docValues="true"/>
              <fieldType name="date" class="solr.DatePointField"/>
              <fieldType name="words" class="solr.TextField"><analyzer><tokenizer name="standard"/></analyzer></fieldType>
              <field name="id" type="string"/><field name="text" type="words"/>
            </schema>""";

    private final SolrEngine engine = new SolrEngine();

    @TempDir
    private Path directory;

    private TableMeta table(String file, String schema) throws IOException {
        PlainCore.write(directory, Map.of(file, schema));
        return LocalTable.meta(2, "id", Map.of("configset", PackedFilesCodec.pack(directory, any -> true)));
    }

    @Test
    void theOneThatTheOthersAreMadeFromIsTaken() throws IOException {
        engine.validate(table("managed-schema.xml", GOOD));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<tokenizer name=\"standard\"/> | <tokenizer name=\"icu\"/> | icu",
                "<tokenizer name=\"standard\"/> | <tokenizer name=\"nosuch\"/> | nosuch",
                "class=\"solr.TextField\" | class=\"com.example.Own\" | com.example.Own",
                "<tokenizer name=\"standard\"/> | <tokenizer name=\"standard\"/><filter name=\"stop\" words=\"lang/none.txt\"/> | lang/none.txt",
                "</schema> | <field name=\"a\" type=\"nowhere\"/></schema> | nowhere",
                "</schema> | <copyField source=\"text\" dest=\"nowhere\"/></schema> | nowhere",
                "</schema> | <field name=\"at\" type=\"date\" default=\"NOW\"/></schema> | default of field \"at\"",
                "</schema> | <fieldType name=\"u\" class=\"solr.UUIDField\"/><field name=\"at\" type=\"u\" default=\"NEW\"/></schema> | default of field \"at\"",
                "<uniqueKey>id</uniqueKey> | | uniqueKey must be",
                "<uniqueKey>id | <uniqueKey>text | uniqueKey must be",
                "<uniqueKey>id | <uniqueKey>nowhere | nowhere",
                "</schema> | | schema",
                "<schema | text before <schema | schema",
            })
    void whatIsWrongIsNamed(String what, String with, String named) throws IOException {
        assertThat(GOOD).contains(what);
        TableMeta meta = table("schema.xml", GOOD.replace(what, with == null ? "" : with));
        assertThatThrownBy(() -> engine.validate(meta))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(named);
    }
}
