#pragma once
// Nothing to call: linking is enough.
