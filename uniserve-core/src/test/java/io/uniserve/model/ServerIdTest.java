package io.uniserve.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ServerIdTest {
    @Test
    void takesExactlyTheLettersThatAPathMayHave() {
        IntStream.rangeClosed(0, 0x2ff).forEach(c -> {
            String id = "a" + (char) c;
            if (id.matches("[A-Za-z0-9_-]{1,64}")) {
                assertThat(new ServerId(id).value()).isEqualTo(id);
            } else {
                assertThatThrownBy(() -> new ServerId(id)).isInstanceOf(UniserveException.class);
            }
        });
    }

    @Test
    void isOneToSixtyFourCharacters() {
        assertThat(new ServerId("x".repeat(64)).value()).hasSize(64);
        assertThatThrownBy(() -> new ServerId("")).hasMessageContaining("1 to 64 characters");
        assertThatThrownBy(() -> new ServerId("x".repeat(65))).hasMessageContaining("1 to 64 characters");
        assertThatThrownBy(() -> new ServerId("../x")).hasMessageContaining("server id");
    }
}
