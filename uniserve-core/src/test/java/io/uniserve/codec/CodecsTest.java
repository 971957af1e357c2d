package io.uniserve.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CodecsTest {
    @Test
    @SuppressWarnings("NullAway") // as in Codecs.nullable
    void nullsSurviveWhereTheyAreTaken() {
        Codec<List<@Nullable String>> list = Codecs.list(Codecs.nullable(Codecs.STRING));
        List<@Nullable String> values = Arrays.asList("a", null, "");
        assertThat(list.decode(list.encode(values))).isEqualTo(values);
        Codec<Map<String, @Nullable Long>> map = Codecs.map(Codecs.STRING, Codecs.nullable(Codecs.LONG));
        Map<String, @Nullable Long> entries = new LinkedHashMap<>();
        entries.put("none", null);
        entries.put("one", 1L);
        assertThat(map.decode(map.encode(entries))).isEqualTo(entries);
        assertThat(Codecs.nullable(Codecs.INT)
                        .decode(Codecs.nullable(Codecs.INT).encode(null)))
                .isNull();
    }

    @Test
    void aMarkThatIsNeitherIsRefused() {
        assertThatThrownBy(() -> Codecs.nullable(Codecs.INT).decode(Bytes.wrap(new byte[] {2, 0, 0, 0, 1})))
                .isInstanceOf(UniserveException.class);
    }
}
