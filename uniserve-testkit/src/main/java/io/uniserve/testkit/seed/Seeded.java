package io.uniserve.testkit.seed;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each annotated test method, or each test method of an annotated class, one seed for parameters marked with {@link Seed}.
 *
 * <p>The seed is the same in every run, as it is derived from the test's name. {@code -Duniserve.seed=N} sets another one. A failure
 * contains the seed and the command that replays it.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SeedExtension.class)
public @interface Seeded {}
