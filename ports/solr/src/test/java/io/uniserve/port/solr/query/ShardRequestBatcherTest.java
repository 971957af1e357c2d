package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.port.solr.query.ShardRequestBatcher.Parameters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShardRequestBatcherTest {
    @Test
    void parametersComeBackWhateverIsInThem() {
        Map<String, String[]> all = new LinkedHashMap<>();
        all.put("q", new String[] {"text:\"3:a&b=c\" %41 \u0000 \uD83D\uDE00"});
        all.put("fq", new String[] {"", "1:1"});
        all.put("", new String[] {"x"});
        all.put("none", new String[0]);
        Map<String, String[]> read = Parameters.CODEC
                .decode(Parameters.CODEC.encode(new Parameters(all)))
                .byName();
        assertThat(read.keySet()).containsExactlyElementsOf(all.keySet());
        all.forEach((name, values) -> assertThat(read.get(name)).isEqualTo(values));
    }

    @Test
    void whatIsNoParametersIsRefused() {
        for (String bytes : List.of("q", "q=text:a", "\u00ff\u00ff\u00ff\u00ff")) {
            assertThatThrownBy(() -> Parameters.CODEC.decode(Bytes.utf8(bytes)))
                    .as(bytes)
                    .isInstanceOf(UniserveException.class);
        }
    }
}
