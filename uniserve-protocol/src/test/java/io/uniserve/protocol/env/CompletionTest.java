package io.uniserve.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CompletionTest {
    private static final UniserveException ERROR = UniserveException.invalid("wrong");

    private final List<Outcome<String>> ended = new ArrayList<>();
    private final Completion<String> completion = ended::add;

    @Test
    void theNextStepGetsTheValue() {
        Completion<Integer> first = completion.then(value -> completion.done(Outcome.ok("got " + value)));
        first.done(Outcome.ok(7));
        assertThat(ended).containsExactly(Outcome.ok("got 7"));
    }

    @Test
    void anErrorSkipsTheNextStep() {
        Completion<Integer> first = completion.then(value -> {
            throw new AssertionError("runs after an error");
        });
        first.done(Outcome.err(ERROR));
        assertThat(ended).containsExactly(Outcome.err(ERROR));
    }

    @Test
    void anOutcomeHasAValueOrAnError() {
        Outcome<Integer> ok = Outcome.ok(7);
        Outcome<Integer> err = Outcome.err(ERROR);
        assertThat(ok.value()).isEqualTo(7);
        assertThat(err.error()).isSameAs(ERROR);
        assertThatThrownBy(ok::error).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(err::value).isInstanceOf(IllegalStateException.class).hasCause(ERROR);
        String folded = ok.fold(value -> "value " + value, UniserveException::reason);
        assertThat(folded).isEqualTo("value 7");
        folded = err.fold(value -> "value " + value, UniserveException::reason);
        assertThat(folded).isEqualTo("wrong");
        assertThat(ok.map(value -> value + 1)).isEqualTo(Outcome.ok(8));
        assertThat(err.map(value -> value + 1)).isEqualTo(err);
    }
}
