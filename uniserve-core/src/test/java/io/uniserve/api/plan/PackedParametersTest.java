package io.uniserve.api.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PackedParametersTest {
    private static List<String> unpacked(String text) {
        List<String> read = new ArrayList<>();
        PackedParameters.unpack(text).forEach((name, values) -> {
            read.add(name);
            read.addAll(List.of(values));
        });
        return read;
    }

    @Test
    void allValuesComeBackInTheirOrderWhateverIsInThem() {
        Map<String, String[]> parameters = new LinkedHashMap<>();
        parameters.put("q", new String[] {"text:\"3:a&b=c\" %41 \u0000 \uD83D\uDE00"});
        parameters.put("fq", new String[] {"", "1:1"});
        parameters.put("", new String[] {"x"});
        parameters.put("none", new String[0]);
        String text = PackedParameters.pack(parameters.entrySet());
        assertThat(unpacked(text))
                .containsExactly("q", "text:\"3:a&b=c\" %41 \u0000 \uD83D\uDE00", "fq", "", "1:1", "", "x");
        assertThat(unpacked("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q",
                "1:q",
                "1:q5:abc",
                "-1:q1:a",
                "1:q-1:",
                "x:q1:a",
                ":q1:a",
                "2147483647:q1:a",
                "99999999999:q",
                "1:q1:a1"
            })
    void whatWasNotPackedIsRefused(String text) {
        assertThatThrownBy(() -> unpacked(text))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("no right length");
    }
}
