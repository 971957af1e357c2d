/** Found by JUnit on the test classpath of each module: what its tests have in common. */
@NullMarked
package io.uniserve.testsupport;

import org.jspecify.annotations.NullMarked;
